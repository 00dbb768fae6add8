"""Is each GPU there, answering, and free for whom it is counted?"""

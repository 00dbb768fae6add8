"""What people do with incidents and silences, carried out: the book is changed and the threads follow, in one step."""

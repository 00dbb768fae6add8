"""The way of a change, from the question to its undo: the only place from which a cluster is changed.

    Propose → may they? → what would the API server say? → shown, with buttons
    click   → may they now? → does the plan still hold? → applied step by step → followed → told

`service.Changing` is what others call. Whatever it does is recorded before it goes on, so that a bot that dies anywhere
finds out at its next start what was done, and does the rest once.
"""

"""Building hierarchies by hand: what a form can ask for, what comes of it on the data, and groups that are edited.

Nothing here draws: the page of hierarchies does.
"""

"""Finding frequent words that nobody lists: alphabets of pieces, the methods, and their messages."""

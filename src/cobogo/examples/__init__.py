"""Made-up people and lists of places and words: data files (``data/*.csv``) and their readers.

Everything may import this room; it imports only the floor. A city whose people move is `cobogo.studies.fortaleza`.
"""

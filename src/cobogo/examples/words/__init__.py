"""Lists of words about people and places: what demonstrations and fakes are made of."""

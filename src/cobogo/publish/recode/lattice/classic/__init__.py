"""The algorithms of the literature on the generalization lattice. They share the tags of its nodes (``tags``)."""

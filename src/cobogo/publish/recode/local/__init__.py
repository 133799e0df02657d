"""Local recoding: each record has its own levels. `docs/algorithms-local.md` explains the code.

``search`` is the algorithm. It prices cells on a ``terrain``, peels the lattice (``peel``), and then dissolves and
solves one ``region`` after another: by ``improve``, ``prices`` and ``rebuild`` where classes need only be large enough,
by ``reshape`` under any other models.
"""

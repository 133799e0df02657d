"""Full-domain recoding: one level for each quasi-identifier, searched in the lattice of all such nodes.

In the order in which a search (`search.optimal`) uses them:

1. ``walk`` holds what is known of the nodes and says which one to visit next; ``bounds`` gives each node a lower bound
   of its cost. (``walk_kernels`` are their compiled steps.)
2. ``evaluate`` checks a node: ``rolled`` rolls the frequency table up to it (``kernels``), ``checks`` finds the classes
   that fail, ``outcome`` adds up what metrics are made of.
3. ``explain`` says why no node satisfies the policy, where none does.

``ranking`` looks at every node instead of searching for one. ``classic`` has the algorithms of the literature.
"""

"""Full-domain recoding: one level for each quasi-identifier, searched in the lattice of all such nodes.

In the order in which a search (`search.optimal`) uses them:

1. ``walk`` holds what is known of the nodes and chooses the one to visit next; ``bounds`` gives each node a lower bound
   of its cost.
2. ``evaluate`` checks a node: ``tables`` rolls the frequency table up to it, ``checks`` finds the classes that fail
(and
   ``withhold`` the values to withhold in them), and the sums of what is left give the node's outcome. ``blocks`` counts
   many nodes at once, where sizes of classes are all that matters.
3. ``explain`` gives the reason where no node satisfies the policy.

``kernels`` has the compiled loops of 1 and 2. ``survey`` evaluates every node instead of searching for one. ``classic``
has the algorithms of the literature.
"""

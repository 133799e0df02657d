"""Cell suppression: single values are left out (``mu_argus``), and ``recovery`` finds those that follow from the
rest."""

"""How the pages of ``docs`` become a site, and how what they show is run.

`formulas` and `names` are hooks that MkDocs loads; `blocks` runs the examples of a page, for the tests.
"""

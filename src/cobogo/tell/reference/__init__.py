"""The reference: a page for everything that has a name, made from its docstring.

The docstring of a model, metric, algorithm, method, mechanism or attack begins with its definition. Then follow, each
under its heading, ``Formula``, ``Example`` (which runs), ``Guarantee``, ``Limits``, ``Cost`` and ``Paper``; a test
fails where one is missing. `cobogo.tell.reference.sections` lists everything that has a page.
"""

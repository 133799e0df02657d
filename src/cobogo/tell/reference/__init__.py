"""The reference: a page for everything that has a name here, made from its docstring.

The docstring of a model, metric, algorithm, method, mechanism or attack says what it is (its definition), and then,
each under its own word: ``Formula``, ``Example`` (which runs), ``Guarantee``, ``Limits``, ``Cost`` and ``Paper``. What
is missing fails a test. `cobogo.tell.reference.sections` lists what must be there.
"""

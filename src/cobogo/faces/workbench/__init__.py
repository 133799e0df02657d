"""The workbench: the whole way from a table to a release in a browser, on this machine or on a server.

It is a face like the others: pages call the functions that the server's routes call, on behalf of whoever is logged in.
A page builds what is seen and nothing else; what is being worked on is a `Session`, and the policy a `Draft`.
"""

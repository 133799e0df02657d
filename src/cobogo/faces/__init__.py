"""Ways in: the command line, the server, the workbench, pandas and scikit-learn. They have no logic of their own."""

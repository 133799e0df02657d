"""Ways in: the command line, the server, the workbench. They have no logic of their own."""

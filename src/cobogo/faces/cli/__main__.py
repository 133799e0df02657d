"""``python -m cobogo.faces.cli``: the command, where its own name is not on the path."""

from cobogo.faces.cli import run

if __name__ == "__main__":
    run()

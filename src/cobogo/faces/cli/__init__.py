"""The command line: a thin face over the library."""

import signal


def run() -> None:
    """The entry point. Whoever presses Ctrl-C while the command still loads sees no traceback; then its own handler
    takes over."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from cobogo.faces.cli.main import run as run_command

    run_command()

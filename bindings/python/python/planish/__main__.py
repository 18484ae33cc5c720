"""The command: `planish`, or `python -m planish`."""

import signal
import sys

from . import _planish


def main() -> int:
    """Runs the command with the arguments of the process; its exit status."""
    # Ctrl-C ends the process at once, as that of any other compiler: Python would note it and wait for the end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _planish.command(["planish", *sys.argv[1:]], _planish.__file__)


if __name__ == "__main__":
    sys.exit(main())

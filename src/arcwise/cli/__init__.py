"""The command line: ``arcwise learn wine.csv`` and its sisters, in the words of the library.

One file holds one command; ``program`` puts them together and says how they end, ``choices`` holds
the options that several commands share, ``shell`` turns texts into values and ``words`` values into
data, networks and graphs, ``rows`` reads and writes tables, ``shown`` and ``summary`` write for
people. Exit codes: 0 done, 1 something in the input has to change (one sentence on standard error
says what), 2 a command that is written wrongly, 3 a fault of Arcwise itself, 130 interrupted by
Ctrl-C.
"""

__all__ = ["main"]


def main() -> None:
    """Run the program with the arguments of the process, and end it."""
    from arcwise.cli.program import app

    app()

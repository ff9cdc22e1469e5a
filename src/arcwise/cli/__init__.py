"""The command line: ``arcwise learn wine.csv`` and its sisters, in the words of the library.

``program`` puts the commands together and says how they end; they stand in ``training``, ``classifying``,
``removals``, ``answers``, ``completion``, ``graph_files`` and ``datasets``. ``options`` declares the
options that several of them share, ``syntax`` turns texts into values, ``inputs`` reads and ``outputs``
writes files, ``terminal`` and ``summary`` write for people, ``manual`` writes the help. Exit codes: 0 done,
1 something in the input has to change (one sentence on standard error says what), 2 a command that is
written wrongly, 3 a fault of Arcwise itself, 130 interrupted by Ctrl-C.
"""

__all__ = ["main"]


def main() -> None:
    """Run the program with the arguments of the process, and end it."""
    from arcwise.cli.program import app

    app()

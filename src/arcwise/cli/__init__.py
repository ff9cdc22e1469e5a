"""The command line: ``arcwise learn wine.csv`` and its sisters, in the words of the library.

``program`` puts the commands together, says how they end and writes the help. The commands stand in ``learn``
(also fit, validate, path and prune), ``certainty`` (posterior), ``classify``, ``discretise``,
``query`` (also edges and explain), ``predict`` (also impute and sample), ``graph_files`` (compare and
convert) and ``datasets`` (audit, data and demo). ``options`` declares the options that several of them share,
``arguments`` turns texts into values, ``inputs`` reads and ``outputs`` writes files, ``terminal`` writes for
people. Exit codes: 0 done, 1 something in the input has to change (one sentence on standard error says what),
2 a command that is written wrongly, 3 a fault of Arcwise itself, 130 interrupted by Ctrl-C.
"""

__all__ = ["main"]


def main() -> None:
    """Run the program with the arguments of the process, and end it."""
    from arcwise.cli.program import app

    app()

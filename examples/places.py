"""Folders of data and figures, and printed tables, for all examples.

Data that are not in the package are read from the folder that ARCWISE_DATA names, else from
shared/data next to the clone. ARCWISE_QUICK=1 selects a run of a few seconds.
"""

import csv
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]


def quick() -> bool:
    """Return whether ARCWISE_QUICK selects a short run."""
    return os.environ.get("ARCWISE_QUICK", "") not in ("", "0")


def output_folder() -> Path:
    """Return the folder in the first argument of the script, or ./figures."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "figures")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def shared_file(*parts: str) -> Path | None:
    """Return a file of the shared data; print a message and return None if it is absent."""
    given = os.environ.get("ARCWISE_DATA")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    file = folder.joinpath(*parts)
    if file.is_file():
        return file
    print(f"{'/'.join(parts)} is not available and is skipped: set ARCWISE_DATA to its folder.")
    return None


def print_table(rows: Sequence[Row]) -> None:
    """Print rows in columns, numbers to the right."""
    names = list(rows[0])
    columns = [_column(name, [row[name] for row in rows]) for name in names]
    for line in zip(*columns, strict=True):
        print("  ".join(line).rstrip())


def _column(name: str, values: list[Any]) -> list[str]:
    """Return a column as text of equal width, with the decimals it needs, at most four."""
    numbers = [value for value in values if isinstance(value, int | float)]
    fractions = [f"{value:.4f}".rstrip("0").partition(".")[2] for value in numbers]
    decimals = max(map(len, fractions), default=0)
    cells = [name]
    for value in values:
        is_number = isinstance(value, int | float)
        cells.append(f"{value:.{decimals}f}" if is_number else "-" if value is None else value)
    width = max(map(len, cells))
    return [cell.rjust(width) if numbers else cell.ljust(width) for cell in cells]


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write rows to a CSV file and print its path."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    print(f"written: {path}")


def pyplot() -> Any:
    """Return pyplot, drawing to files; print a message and return None without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is not installed, so no figure is drawn: pip install 'arcwise[plot]'.")
        return None
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    return plt


def save_figure(figure: Any, path: Path) -> None:
    """Save a figure and print its path."""
    figure.savefig(path, dpi=150)
    print(f"written: {path}")

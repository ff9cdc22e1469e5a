"""Arguments and options that several commands share, each with its help said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def _option(
    *flags: str, help: str, panel: str | None = None, shown: str | None = None, **more: Any
) -> Any:
    return typer.Option(*flags, help=help, rich_help_panel=panel, metavar=shown, **more)


# -- arguments -----------------------------------------------------------------------------------

DataFile = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="A table: CSV, TSV or Parquet, also .gz; - for standard input.",
        show_default=False,
    ),
]
NetFile = Annotated[
    Path,
    typer.Argument(
        metavar="NET", help="A model file, as written by learn or fit.", show_default=False
    ),
]
RowsFile = Annotated[
    Path,
    typer.Argument(
        metavar="ROWS",
        help="A table of rows, with gaps or without; - for standard input.",
        show_default=False,
    ),
]

# -- how a table is read -------------------------------------------------------------------------

_DATA = "The data"

Only = Annotated[
    list[str] | None,
    _option("--only", help="Use these columns only.", panel=_DATA, shown="COLUMNS"),
]
Drop = Annotated[
    list[str] | None,
    _option("--drop", help="Leave these columns out.", panel=_DATA, shown="COLUMNS"),
]
Kinds = Annotated[
    list[str] | None,
    _option(
        "--kind",
        help="Say the kind of a column, discrete or continuous, as in RAD=discrete.",
        panel=_DATA,
        shown="NAME=KIND",
    ),
]
Weights = Annotated[
    str | None,
    _option(
        "--weights", help="The column that says how often rows count.", panel=_DATA, shown="COLUMN"
    ),
]
Missing = Annotated[
    list[str] | None,
    _option(
        "--missing",
        help="A further value that means a gap, such as -999.",
        panel=_DATA,
        shown="VALUE",
    ),
]
Stream = Annotated[
    bool,
    _option("--stream", help="Read in batches: for files larger than memory.", panel=_DATA),
]

# -- how a network is learned --------------------------------------------------------------------

_LEARNING = "The learning"
_RULES = "What is known beforehand"

Graph = Annotated[
    str,
    _option(
        "--graph",
        help="The kind of graph: directed, or undirected, which joins each variable to those that it"
        " depends on directly.",
        panel=_LEARNING,
        shown="WORD",
    ),
]
Model = Annotated[
    str,
    _option(
        "--model",
        help="The local models: gaussian (linear), parzen (any shape), or auto by the columns'"
        " kinds.",
        panel=_LEARNING,
        shown="WORD",
    ),
]
Score = Annotated[
    str | None,
    _option(
        "--score",
        help="What makes a graph good: bic, ebic, aic, bge, loglik, loo, kfold or heldout; by"
        " default loo for parzen models, else ebic.",
        panel=_LEARNING,
        shown="WORD",
    ),
]
Search = Annotated[
    str,
    _option(
        "--search",
        help="How the best graph is looked for: auto, greedy, tabu, annealing, ils, ges or exact;"
        " for undirected graphs auto, boundary or deletion, and for gaussian ones stepwise (which auto is"
        " there unless a penalty or a score is given), glasso or neighbourhood.",
        panel=_LEARNING,
        shown="WORD",
    ),
]
UndirectedSearch = Annotated[
    str,
    _option(
        "--search",
        help="How edges go: boundary, one by one, the weakest first; deletion, each by a test given"
        " all others; for gaussian models glasso, the graphical lasso, or neighbourhood. auto is glasso"
        " for gaussian models unless a score is given, else boundary.",
        panel=_LEARNING,
        shown="WORD",
    ),
]
Penalty = Annotated[
    str | None,
    _option(
        "--penalty",
        help="The price of an edge, a number or a rule that finds it: the larger, the fewer edges. cv takes"
        " the one that predicts best in cross-validation, cv-1se the largest one within a standard error of"
        " that. Where a score finds the graph, the price is in nats per row, and by default 0 for gaussian"
        " models; for parzen ones it follows rows and columns. Where the lasso does (undirected"
        " gaussian graphs), it is rho, on the scale of correlations, and for glasso found by ebic; stars and"
        " ric are further rules, and a CSV file with names in its first line and column has one for each"
        " pair of variables.",
        panel=_LEARNING,
        shown="NUMBER|WORD|FILE",
    ),
]
Start = Annotated[
    str,
    _option(
        "--start",
        help="Where the search begins: empty, complete, random, or a graph (a file or a model"
        " string).",
        panel=_LEARNING,
        shown="WORD|GRAPH",
    ),
]
Options = Annotated[
    list[str] | None,
    _option(
        "--option",
        help="An option of the search, the score or the model, such as restarts=10, gamma=1,"
        " widths=one or scale=covariance.",
        panel=_LEARNING,
        shown="NAME=VALUE",
    ),
]
Seed = Annotated[
    int,
    _option(
        "--seed",
        help="The same seed gives the same result.",
        panel=_LEARNING,
        shown="NUMBER",
        min=0,
    ),
]
Jobs = Annotated[
    int,
    _option(
        "--jobs",
        help="Processes or threads for work that can be shared out; -1 for all cores.",
        panel=_LEARNING,
        shown="NUMBER",
    ),
]
Time = Annotated[
    float | None,
    _option(
        "--time",
        help="Stop after so many seconds with the best graph so far.",
        panel=_LEARNING,
        shown="SECONDS",
        min=0,
    ),
]
Require = Annotated[
    list[str] | None,
    _option(
        "--require",
        help="An arc that every graph must have; of an undirected one, the edge 'A -- B'.",
        panel=_RULES,
        shown="'A -> B'",
    ),
]
Forbid = Annotated[
    list[str] | None,
    _option(
        "--forbid",
        help="An arc that no graph may have, in this direction; 'A -- B' is the edge, in both.",
        panel=_RULES,
        shown="'A -> B'",
    ),
]
Tier = Annotated[
    list[str] | None,
    _option(
        "--tier",
        help="Columns that come before those of the next --tier: no arc runs back.",
        panel=_RULES,
        shown="COLUMNS",
    ),
]
MaxParents = Annotated[
    int | None,
    _option(
        "--max-parents",
        help="The largest number of parents of a variable.",
        panel=_RULES,
        shown="NUMBER",
        min=0,
    ),
]
Expert = Annotated[
    str | None,
    _option(
        "--expert",
        help="A graph that the result should not differ from without need.",
        panel=_RULES,
        shown="GRAPH",
    ),
]
PriorRows = Annotated[
    Path | None,
    _option(
        "--prior-rows",
        help="A table of artificial rows that say what an expert would expect to see; they count"
        " like real ones.",
        panel=_RULES,
        shown="FILE",
    ),
]
ExpertWeight = Annotated[
    float,
    _option(
        "--expert-weight",
        help="The price of each difference, in nats per row.",
        panel=_RULES,
        shown="NUMBER",
        min=0,
    ),
]

# -- how a question is answered ------------------------------------------------------------------

_SIMULATION = "Where an answer has no closed form"

Method = Annotated[
    str | None,
    _option(
        "--method",
        help="stacked asks the rows that Parzen windows keep (their default where something is hidden),"
        " gibbs simulates; grid, importance and blankets are ways to ask a directed network.",
        panel=_SIMULATION,
        shown="WORD",
    ),
]
Chains = Annotated[
    int | None,
    _option(
        "--chains",
        help="Chains that run side by side.",
        panel=_SIMULATION,
        shown="NUMBER",
        min=1,
    ),
]
Sweeps = Annotated[
    int | None,
    _option(
        "--sweeps",
        help="Rounds over all hidden variables that count: four times as many halve the error.",
        panel=_SIMULATION,
        shown="NUMBER",
        min=1,
    ),
]
BurnIn = Annotated[
    int | None,
    _option(
        "--burn-in",
        help="Rounds before them that are forgotten.",
        panel=_SIMULATION,
        shown="NUMBER",
        min=0,
    ),
]

# -- what comes out ------------------------------------------------------------------------------

_OUT = "The output"

ModelOut = Annotated[
    Path | None,
    _option(
        "-o",
        "--output",
        help="The model file to write; by default the data's name with .json, in this folder.",
        panel=_OUT,
        shown="FILE",
    ),
]
TableOut = Annotated[
    Path | None,
    _option(
        "-o",
        "--output",
        help="The file to write: .csv, .tsv or .parquet; by default CSV to standard output.",
        panel=_OUT,
        shown="FILE",
    ),
]
Dot = Annotated[
    Path | None,
    _option("--dot", help="Write the graph for Graphviz, too.", panel=_OUT, shown="FILE"),
]
Plot = Annotated[
    Path | None,
    _option(
        "--plot",
        help="Draw the network, too: .png, .pdf or .svg.",
        panel=_OUT,
        shown="FILE",
    ),
]
Tuning = Annotated[
    list[Path] | None,
    _option(
        "--tuning",
        help="Write how a rule chose the penalty, too: its figures to .csv or .json, or a picture to"
        " .png, .pdf or .svg.",
        panel=_OUT,
        shown="FILE",
    ),
]
Json = Annotated[
    bool,
    _option("--json", help="Print one JSON document, for machines.", panel=_OUT),
]
Quiet = Annotated[
    bool,
    _option("-q", "--quiet", help="Print nothing but errors.", panel=_OUT),
]

"""Options that several commands share, each declared once, and what becomes of them.

A group of options is a frozen dataclass: a command takes it as one parameter, and `flat` makes single
options of its fields. The help of an option is what the docstring of the group or command says of it under
Parameters. Words in braces there, as in ``{scores}``, stand for those of a register, which the manual looks
up when the help is read.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli import inputs
from arcwise.cli.arguments import arcs, assignments, names, number, options
from arcwise.errors import DataError, OptionError

if TYPE_CHECKING:
    from arcwise.data import Kind, Moments, Table


# -- how options are declared --------------------------------------------------------------------


def option(
    metavar: str, *flags: str, panel: str | None = None, help: str = "", least: float | None = None
) -> Any:
    """Declare an option; its flag is its name with two dashes, unless flags are given."""
    return typer.Option(*flags, metavar=metavar, help=help, rich_help_panel=panel, min=least)


def switch(*flags: str, panel: str | None = None, help: str = "") -> Any:
    """Declare an option without a value."""
    return typer.Option(*flags, help=help, rich_help_panel=panel)


def argument(metavar: str, help: str = "") -> Any:
    """Declare what is given without a flag."""
    return typer.Argument(metavar=metavar, help=help, show_default=False)


data_option = partial(option, panel="Read the table")
model_option = partial(option, panel="Choose the model")
learning_option = partial(option, panel="Run the search")
validation_option = partial(option, panel="Validate")
output_option = partial(option, "FILE", panel="Write and print")
main_output = partial(output_option, "-o", "--output")
_knowledge = partial(option, panel="Use prior knowledge")
_simulation = partial(option, panel="Simulate answers without a closed form")


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command whose parameters are single options in the place of groups of them."""
    single: dict[str, inspect.Parameter] = {}
    groups: dict[str, Any] = {}
    for name, parameter in _described_parameters(command).items():
        if is_dataclass(parameter.annotation):
            groups[name] = parameter.annotation
            single |= _described_parameters(groups[name])
        else:
            single[name] = parameter

    @wraps(command)
    def run(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{each.name: values.pop(each.name) for each in fields(group)})
        command(**values)

    run.__doc__ = (inspect.getdoc(command) or "").partition(_PARAMETERS)[0]
    run.__annotations__ = {name: each.annotation for name, each in single.items()}
    run.__signature__ = inspect.Signature(list(single.values()))  # type: ignore[attr-defined]
    return run


_PARAMETERS = "Parameters\n----------\n"


def _described_parameters(owner: Any) -> dict[str, inspect.Parameter]:
    """Parameters by name; an option has the help that the docstring has for it."""
    found = inspect.signature(owner, eval_str=True).parameters
    for each in getattr(owner, "__mro__", [owner]):
        said = (inspect.getdoc(each) or "").partition(_PARAMETERS)[2]
        for name, text in re.findall(r"^(\w+) : (.*(?:\n +.*)*)", said, re.MULTILINE):
            flowing = " ".join(text.split())
            found[name].annotation.__metadata__[0].help = flowing[0].upper() + flowing[1:]
    return {name: each.replace(kind=each.KEYWORD_ONLY) for name, each in found.items()}


# -- how a table is read -------------------------------------------------------------------------

NetFile = Annotated[Path, argument("NET", "A model file written by learn or fit.")]
RowsFile = Annotated[
    Path, argument("ROWS", "A table, which may have empty cells; - is standard input.")
]
Target = Annotated[str, argument("TARGET", "The variable to predict.")]
NaValues = Annotated[
    list[str] | None,
    data_option("VALUE", help="Treat this value as missing, too, such as -999."),
]
Stream = Annotated[
    bool,
    switch(
        "--stream",
        panel="Read the table",
        help="Read a file larger than memory in batches.",
    ),
]


@dataclass(frozen=True)
class DataOptions:
    """The table that a command reads, and how it does so.

    Parameters
    ----------
    data : a table: CSV, TSV or Parquet, also .gz; - is standard input.
    only : use these columns only.
    drop : ignore these columns.
    kind : set the kind of a column, as in RAD=discrete.
    weights : the column with the weight of each row.
    copies : treat equal rows as separate cases, or hold them out together.
    """

    data: Annotated[Path, argument("DATA")]
    only: Annotated[list[str] | None, data_option("COLUMNS")] = None
    drop: Annotated[list[str] | None, data_option("COLUMNS")] = None
    kind: Annotated[list[str] | None, data_option("NAME={kinds}")] = None
    weights: Annotated[str | None, data_option("COLUMN")] = None
    copies: Annotated[str, data_option("apart|together")] = "apart"
    na_values: NaValues = None

    @property
    def policy(self) -> str:
        """What is done about missing values where the rows are not kept."""
        return "auto"

    def table(self) -> Table:
        """Read the table."""
        return inputs.read_table(self.data, **self.reading())

    def gathered(self, stream: bool, model: str) -> Table | Moments:
        """Read the table, or with `stream` only what learning needs of a file larger than memory."""
        if not stream:
            return self.table()
        if self.kind:
            raise DataError(
                "--kind cannot be used with --stream: a stream reads text as levels, and "
                "integers, too, if all columns have few values."
            )
        words = self.reading()
        words.pop("kinds")
        return inputs.read_batches(self.data, model=model, missing=self.policy, **words)

    def reading(self) -> dict[str, Any]:
        """Give these options as `inputs.read_table` takes them."""
        columns = {"only": names(self.only or []), "drop": names(self.drop or [])}
        weights = {"weights": self.weights, "copies": self.copies}
        marks = {"na_values": self.na_values or [], "kinds": _kinds(self.kind)}
        return marks | weights | columns


@dataclass(frozen=True)
class Source(DataOptions):
    """The table that a network is learned from.

    Parameters
    ----------
    missing : use all observed values, impute, weigh or drop rows.
    """

    missing: Annotated[str, data_option("{policies}")] = "auto"

    def __post_init__(self) -> None:
        from arcwise.data.prepare import checked_policy

        checked_policy(self.missing)

    @property
    def policy(self) -> str:
        """What is done about missing values where the rows are not kept."""
        return self.missing


def _kinds(texts: Sequence[str] | None) -> dict[str, Kind]:
    """Give the kinds asked for, by column."""
    from arcwise.data import kind_of

    return {name: kind_of(kind) for name, kind in assignments(texts or (), "--kind").items()}


# -- how a network is learned --------------------------------------------------------------------

Model = Annotated[
    str,
    model_option(
        "auto|{models}",
        help="The local models; auto chooses by the data.",
    ),
]
Settings = Annotated[
    list[str] | None,
    learning_option(
        "NAME=VALUE",
        "--option",
        help="Set an option of the named search, score or model: --search tabu --option restarts=9.",
    ),
]
TimeLimit = Annotated[
    float | None,
    learning_option("SECONDS", least=0, help="Stop after this time and keep the best result."),
]


@dataclass(frozen=True)
class Search:
    """Which graph is searched for, and how.

    Parameters
    ----------
    graph : the kind of graph.
    search : the search algorithm.
    penalty : the penalty per edge, or a rule that chooses it.
    start : the graph to start from.
    """

    graph: Annotated[str, model_option("{graphs}")] = "directed"
    search: Annotated[str, learning_option("{searches}|{undirected}|{lasso}")] = "auto"
    penalty: Annotated[str | None, model_option("NUMBER|{rules}|FILE")] = None
    start: Annotated[str, learning_option("empty|complete|random|GRAPH")] = "empty"

    def settings(self) -> dict[str, Any]:
        """Give these options as the library takes them."""
        from arcwise.api.options import Search, StartedSearch

        penalty = None if self.penalty is None else number(self.penalty)
        search, start = Search.of_name(self.search), _start(self.start)
        if isinstance(search, StartedSearch):
            search = replace(search, start=start)
        elif start != "empty":
            raise OptionError(
                f"--start is for searches of directed graphs, and not {self.search!r}."
            )
        return {"graph": self.graph, "search": search, "penalty": penalty}


def _start(text: str) -> Any:
    """Give a graph where the text is one; a word is a name without any sign."""
    word = text.isidentifier() and not Path(text).exists()
    return text if word else inputs.directed_graph(text)


@dataclass(frozen=True)
class ScoreFlags:
    """What local models are fitted, how graphs are compared, and with what effort.

    Parameters
    ----------
    score : the score to maximise; the default fits the model.
    seed : the same seed gives the same result.
    jobs : the number of processes or threads; -1 uses all cores.
    """

    model: Model = "auto"
    score: Annotated[str | None, model_option("{scores}")] = None
    option: Settings = None
    seed: Annotated[int, learning_option("NUMBER", least=0)] = 0
    jobs: Annotated[int, learning_option("NUMBER")] = 1

    def settings(self) -> dict[str, Any]:
        """Give these options as the library takes them."""
        return with_options(self.option, self.choices())

    def choices(self) -> dict[str, Any]:
        """Give these options without those of --option."""
        from arcwise.api.options import Model, ScoreOption

        choices = {"model": Model.of_name(self.model), "score": ScoreOption.of_name(self.score)}
        return {**choices, "seed": self.seed, "n_jobs": self.jobs}


def learning_options(search: Search, scoring: ScoreFlags) -> dict[str, Any]:
    """Give what is learned and how, as the library takes it.

    An undirected graph has no search with settings by default: a setting means the search that has it.
    """
    from arcwise.api.options import Glasso, Stepwise

    choices = {**search.settings(), **scoring.choices()}
    if scoring.option and search.graph == "undirected" and search.search == "auto":
        steps = search.penalty is None and set(options(scoring.option)) <= _STEPWISE
        known = {each.name for each in fields(Glasso)} & set(options(scoring.option))
        choices["search"] = (Stepwise() if steps else Glasso()) if known else choices["search"]
    return with_options(scoring.option, choices)


_STEPWISE = {"gamma", "nonparanormal", "gaps"}
"""Settings that stepwise selection has, too."""


def with_options(texts: Sequence[str] | None, choices: dict[str, Any]) -> dict[str, Any]:
    """Give choices whose search, score, model and method have the settings of --option."""
    from arcwise.api.option_object import with_settings

    settings = options(texts or ())
    objects = [name for name in ("search", "score", "model", "method") if name in choices]
    changed = with_settings([choices[name] for name in objects], settings)
    return {**choices, **dict(zip(objects, changed, strict=True))}


@dataclass(frozen=True)
class EdgeRules:
    """What is known of a graph of any kind before the data are seen.

    Parameters
    ----------
    require : include this arc, or the undirected edge 'A -- B'.
    forbid : exclude this arc; 'A -- B' excludes both directions.
    pseudo_rows : add these artificial rows, which express expectations; they count like real ones.
    """

    require: Annotated[list[str] | None, _knowledge("'A -> B'")] = None
    forbid: Annotated[list[str] | None, _knowledge("'A -> B'")] = None
    pseudo_rows: Annotated[Path | None, _knowledge("FILE")] = None

    def settings(self, source: Source) -> dict[str, Any]:
        """Give these options as the library takes them; artificial rows are read like the data."""
        from arcwise.api.options import Prior
        from arcwise.graphs import Rules

        rows = None
        if self.pseudo_rows is not None:
            rows = inputs.read_table(self.pseudo_rows, na_values=source.na_values or [])
        required, forbidden = arcs(self.require or ()), arcs(self.forbid or ())
        rules = Rules(required, forbidden, **self.directions())
        prior = Prior(rows=rows, **self.expectations())
        return {"rules": rules, "prior": prior, "missing": source.missing}

    def expectations(self) -> dict[str, Any]:
        """Give what an expert expects of a directed graph."""
        return {}

    def directions(self) -> dict[str, Any]:
        """Give rules that only directed graphs have."""
        return {}


@dataclass(frozen=True)
class Knowledge(EdgeRules):
    """What is known of a graph that may be directed.

    Parameters
    ----------
    tier : allow no arc into these columns from those of a later --tier.
    max_parents : limit the number of parents of a variable.
    expert : penalise differences from this graph.
    expert_weight : the penalty per different edge, in nats per row.
    """

    tier: Annotated[list[str] | None, _knowledge("COLUMNS")] = None
    max_parents: Annotated[int | None, _knowledge("NUMBER", least=0)] = None
    expert: Annotated[str | None, _knowledge("GRAPH")] = None
    expert_weight: Annotated[float, _knowledge("NUMBER", least=0)] = 0.1

    def expectations(self) -> dict[str, Any]:
        """Give an expert's graph and its weight."""
        expert = None if self.expert is None else inputs.directed_graph(self.expert)
        return {"graph": expert, "weight": self.expert_weight}

    def directions(self) -> dict[str, Any]:
        """Give rules that only directed graphs have."""
        tiers = [names([text]) for text in self.tier or ()]
        return {"tiers": tiers, "max_parents": self.max_parents}


# -- how a question is answered ------------------------------------------------------------------


@dataclass(frozen=True)
class Simulation:
    """How an answer that has no closed form is found; answers in closed form take no notice of it.

    Parameters
    ----------
    method : the inference method; by default exact if possible.
    chains : the number of parallel Markov chains.
    sweeps : the number of sweeps; four times as many halve the error.
    burn_in : the number of first sweeps to discard.
    seed : the same seed gives the same answer and the same draws.
    """

    method: Annotated[str | None, _simulation("{methods}")] = None
    chains: Annotated[int | None, _simulation("NUMBER", least=1)] = None
    sweeps: Annotated[int | None, _simulation("NUMBER", least=1)] = None
    burn_in: Annotated[int | None, _simulation("NUMBER", least=0)] = None
    seed: Annotated[int, _simulation("NUMBER", least=0)] = 0

    def settings(self) -> dict[str, Any]:
        """Give what was asked for."""
        return {word: value for word, value in vars(self).items() if value is not None}


# -- what comes out ------------------------------------------------------------------------------

ModelOut = Annotated[
    Path | None,
    main_output(help="Write the model to this file; by default DATA's name with .json."),
]
TableOut = Annotated[
    Path | None,
    main_output(help="Write to this file: {tables}; by default CSV to standard output."),
]
Plot = Annotated[Path | None, output_option(help="Plot the network: {pictures}.")]
Json = Annotated[bool, switch("--json", panel="Write and print", help="Print one JSON document.")]
Quiet = Annotated[bool, switch("-q", "--quiet", panel="Write and print", help="Print errors only.")]

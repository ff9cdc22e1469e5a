"""Commands on certainty: ``posterior``, and ``sensitivity`` to missing values."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from arcwise.cli import flags, outputs, terminal
from arcwise.cli.arguments import names, number, numbers
from arcwise.cli.datasets import Categories
from arcwise.cli.flags import argument, main_output, option, output_option
from arcwise.errors import OptionError, plural

if TYPE_CHECKING:
    from arcwise.api import Posterior
    from arcwise.data import Moments, Table

# More pairs than this are not printed; --output writes all.
PRINTED = 40
FAINT = 0.005

_sampling = partial(option, panel="Sample graphs")
_answer = partial(option, panel="Choose the answer")


def posterior(
    source: flags.Source,
    search: flags.Search,
    scoring: flags.ScoreFlags,
    known: flags.Knowledge,
    categories: Categories,
    method: Annotated[str, _sampling("{posteriors}")] = "auto",
    prior: Annotated[str | None, _sampling("uniform|fair|NUMBER|FILE")] = None,
    draws: Annotated[int | None, _sampling("NUMBER", least=1)] = None,
    chains: Annotated[int | None, _sampling("NUMBER", least=1)] = None,
    burn_in: Annotated[int | None, _sampling("STEPS", least=0)] = None,
    thin: Annotated[int | None, _sampling("STEPS", least=1)] = None,
    sampler: Annotated[str | None, _sampling("{samplers}")] = None,
    resampling: Annotated[str, _sampling("auto|{resampling}")] = "auto",
    stream: flags.Stream = False,
    time_limit: flags.TimeLimit = None,
    checkpoint: Annotated[Path | None, output_option()] = None,
    output: Annotated[Path | None, main_output()] = None,
    averaged: Annotated[Path | None, output_option()] = None,
    table: Annotated[Path | None, output_option()] = None,
    plot: Annotated[Path | None, output_option()] = None,
    json: flags.Json = False,
    quiet: flags.Quiet = False,
) -> None:
    """Estimate edge certainty: a distribution over graphs.

    Prints the probability of each arc and edge with its error. The probabilities are exact, or from Markov
    chains, or bootstrap frequencies. Ctrl-C ends the run with the draws so far.

    Example: arcwise posterior asia.csv --draws 5000 --table edges.csv

    Parameters
    ----------
    method : compute, sample or bootstrap the probabilities.
    prior : the prior over graphs; a number is nats per arc.
    draws : the number of replicates, or of draws per chain.
    chains : the number of parallel chains, 4 by default.
    burn_in : the number of steps before the first draw.
    thin : the number of steps between two draws.
    sampler : the sampler of the chains.
    resampling : how bootstrap replicates are drawn.
    checkpoint : store finished work here; the same command resumes from it.
    output : write the distribution: .json or .arcwise.
    averaged : write the network of the likely edges, for query and other commands: .json or .arcwise.
    table : write one row per pair of variables: {tables}.
    plot : plot the graph, with certain edges dark: {pictures}.
    """
    from arcwise import api
    from arcwise.plot import PICTURES

    places = [
        (output, outputs.MODELS),
        (averaged, outputs.MODELS),
        (table, outputs.TABLES),
        (plot, PICTURES),
    ]
    outputs.check([*places, (checkpoint, ())], [source.data])
    of_chains = {"chains": chains, "burn_in": burn_in, "thin": thin, "sampler": sampler}
    way = _method(method, of_chains, None if resampling == "auto" else resampling)
    choices = {**search.settings(), **scoring.choices(), "method": way}
    settings = flags.with_options(scoring.option, choices) | known.settings(source)
    settings["prior"] = replace(settings["prior"], arcs=_prior(prior))
    settings |= {"draws": draws, "time_limit": time_limit, "checkpoint": checkpoint}
    data = categories.table(source, stream, scoring.model)
    settings["progress"] = False if quiet else None
    found, seconds = terminal.time_work(lambda: api.posterior(data, **settings))
    written = outputs.write(
        [
            (output, found.save, "the distribution"),
            (averaged, lambda to: found.averaged().save(to), "the averaged network"),
            (
                table,
                lambda to: outputs.write_table(found.edges.sorted(), to),
                "a row for each pair",
            ),
            (plot, outputs.draw(found.plot), "a plot"),
        ]
    )
    if json:
        terminal.show_json({**found.to_dict(), "written": [str(each) for each in written]})
    elif not quiet:
        _show(found, data, source.data, seconds)
        outputs.say_written(written)
    terminal.end_if_interrupted(found.stopped)


def sensitivity(
    source: flags.Source,
    column: Annotated[str, argument("COLUMN", "The column whose missing values are shifted.")],
    search: flags.Search,
    scoring: flags.ScoreFlags,
    known: flags.Knowledge,
    categories: Categories,
    shift: Annotated[str, _answer("NUMBERS")] = "-1,-0.5,0.5,1",
    query: Annotated[str | None, _answer("VARIABLE")] = None,
    given: Annotated[list[str] | None, _answer("NAME=VALUE")] = None,
    time_limit: flags.TimeLimit = None,
    output: Annotated[Path | None, main_output()] = None,
    json: flags.Json = False,
) -> None:
    """Shift the missing values of a column: which edges and answers change.

    No data tell whether values are missing because of what they are. Missing values are drawn given all
    others, shifted, and the network is learned again for each shift.

    Example: arcwise sensitivity survey.csv income --query income --given age=50

    Parameters
    ----------
    shift : shifts in standard deviations, separated by commas; log odds of ordered levels.
    query : report the distribution of this variable for each shift.
    given : the evidence for --query.
    output : write a row for each shift: {tables}.
    """
    from arcwise import api
    from arcwise.cli.query import evidence

    outputs.check([(output, outputs.TABLES)], [source.data])
    shifts = numbers(names([shift]))
    if shifts is None:
        raise OptionError(f"--shift must be numbers separated by commas, got {shift!r}.")
    settings = flags.learning_options(search, scoring) | known.settings(source)
    net = api.learn(categories.table(source), certainty=False, time_limit=time_limit, **settings)
    asked = evidence(net, given, None)["given"] if query is not None else None
    found = net.sensitivity(column, shifts=shifts, target=query, given=asked, time_limit=time_limit)
    outputs.give_result(found, output, plural(len(found.shifts), "shift"), json=json)


def _method(name: str, of_chains: dict[str, Any], resampling: str | None) -> Any:
    """Give the method with its settings; settings of one method alone mean it."""
    from arcwise.api.options import Method

    chains = {setting: value for setting, value in of_chains.items() if value is not None}
    resampled = {} if resampling is None else {"resampling": resampling}
    settings = {**chains, **resampled}
    if not settings:
        return Method.of_name(name)
    meant = "mcmc" if chains else "bootstrap"
    return Method.named(meant if name == "auto" else name, settings)


def _prior(text: str | None) -> Any:
    """Give a prior as the library takes it: a word, a number, or probabilities from a file."""
    return None if text is None else number(text)


def _show(found: Posterior, data: Table | Moments, path: Path, seconds: float) -> None:
    words, value = found.settings, found.found
    chains = words["method"] == "mcmc"
    how = "exact" if value.exact else plural(value.draws, "draw" if chains else "replicate")
    size = f", effective sample size {value.ess:.0f}," if chains else ""
    evidence = found.log_evidence
    about = [
        *terminal.origin(data, path, found.rows, found.notes),
        ("model", str(words["model"])),
        ("score", str(words["score"])),
        ("probabilities", f"{found.meaning}; {how}{size} in {seconds:.1f} s"),
        ("prior", found.prior),
        ("evidence", "" if evidence is None else f"log probability of the data {evidence:.4f}"),
        ("stopped", str(found.stopped)),
        ("verdict", found.verdict),
        (
            "difference",
            f"two graphs differ in {100 * value.difference:.3g} % of all pairs on average",
        ),
    ]
    terminal.show(terminal.facts(about), "")
    _show_pairs(found)


def _show_pairs(found: Posterior) -> None:
    from arcwise.evaluate.probabilities import turned_to_likely

    likely = found.edges.above(FAINT).sorted().rows
    rows = [turned_to_likely(row) for row in likely[:PRINTED]]
    arcs = [">->", "><-"] if found.directed else []
    lines = [
        (
            row.first,
            row.second,
            *([f"{row.forward:.3f}", f"{row.backward:.3f}"] if found.directed else []),
            f"{row.adjacent:.3f}",
            f"{row.error:.2g}",
            terminal.bar(row.adjacent, "blue"),
        )
        for row in rows
    ]
    terminal.show(terminal.grid(["first", "second", *arcs, ">adjacent", ">error", ""], lines))
    if len(likely) > len(rows):
        terminal.show(f"... and {plural(len(likely) - len(rows), 'more pair')}")
    rest = len(found.edges) - len(likely)
    if rest:
        terminal.show(f"{plural(rest, 'pair')} with less than {FAINT:g}")
    what = f"Adjacent: {found.meaning} of an edge between the two"
    ways = "; ->, <-: of the arc in this direction" if found.directed else ""
    terminal.show(
        "", terminal.style_text(f"{what}{ways}; error: its Monte-Carlo error.", "dim"), ""
    )

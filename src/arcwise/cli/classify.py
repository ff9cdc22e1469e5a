"""The command that learns a classifier and judges it: ``classify``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from arcwise.cli import flags, outputs, terminal
from arcwise.cli.arguments import numbers
from arcwise.cli.flags import learning_option, main_output

if TYPE_CHECKING:
    from arcwise.api import Classification
    from arcwise.data import Table
    from arcwise.evaluate import ClassProbabilities

__all__ = ["classify"]

# Classes beyond so many have no confusion table on a screen.
SHOWN = 12


def classify(
    source: flags.Source,
    target: Annotated[str, flags.argument("CLASS", "The column of classes.")],
    structure: Annotated[str, learning_option("WORD")] = "tan",
    features: Annotated[str, learning_option("WORD")] = "auto",
    k: Annotated[int, learning_option("NUMBER", "--k", least=0)] = 2,
    arc_score: Annotated[str | None, learning_option("WORD")] = None,
    search: Annotated[str, learning_option("WORD")] = "auto",
    select: Annotated[str | None, learning_option("WORD")] = None,
    alpha: Annotated[float, learning_option("NUMBER", least=0)] = 1.0,
    equivalent_sample_size: Annotated[float | None, learning_option("NUMBER", least=0)] = None,
    loss: Annotated[list[str] | None, learning_option("'TRUE,DECIDED=NUMBER'")] = None,
    folds: Annotated[int, learning_option("NUMBER", least=0)] = 10,
    seed: Annotated[int, learning_option("NUMBER", least=0)] = 0,
    stream: flags.Stream = False,
    output: Annotated[Path | None, main_output()] = None,
    plot: flags.Plot = None,
    json: flags.Json = False,
) -> None:
    """Learn a Bayesian classifier and cross-validate it.

    Prints accuracy and log-loss on rows left out, which class was taken for which, how well probabilities
    agree with shares, and the arcs between features. Gaps in features are summed out.

    Example: arcwise classify spambase.csv class --structure tan --folds 10 -o spam.json --plot spam.png

    Parameters
    ----------
    structure : naive; tan, a tree over the features; kdb, up to k feature parents each; aode, an average of
        networks in which one feature is parent of all others; free, the best network by a score; averaged,
        the mean over networks of that kind drawn from their posterior.
    features : what becomes of continuous features: discretise (by entropy; what auto means), gaussian or
        parzen.
    k : the most feature parents, for kdb and free.
    arc_score : what an arc between features has to raise: loglik, aic, bic or bdeu; for free any score of
        discrete networks.
    search : the search of a free structure: {searches}.
    select : choose features by cross-validated accuracy: forward, backward, forward-joining or
        backward-joining.
    alpha : pseudo-count of each cell of a table.
    equivalent_sample_size : pseudo-counts of a whole table instead.
    loss : what it costs to decide for a class where another is true, as in spam,ham=1; the class of least
        expected loss is decided for. Pairs that are not named cost 1.
    folds : parts of the rows, each left out once; 0 for no validation.
    seed : the same seed gives the same parts.
    output : write the classifier as a network to a model file.
    """
    from arcwise import api
    from arcwise.plot import PICTURES

    outputs.check([(output, outputs.MODELS), (plot, PICTURES)], [source.data])
    table = cast("Table", source.gathered(stream, "discrete"))
    classes = table.variable(target).levels or ()
    learned = partial(
        api.classify,
        table,
        target,
        structure=structure,
        features=features,
        k=k,
        arc_score=arc_score,
        search=search,
        select=select,
        alpha=alpha,
        equivalent_sample_size=equivalent_sample_size,
        loss=_losses(loss, classes),
        folds=folds,
        seed=seed,
    )
    found, seconds = terminal.time_work(learned)
    net = found.network
    written = outputs.write(
        [(output, net.save, _written_as(structure)), (plot, outputs.draw(net.plot), "a plot")]
    )
    if json:
        terminal.show_json(_document(found, [str(each) for each in written]))
        return
    about = [
        *terminal.origin(table, source.data, table.total, net.notes),
        (
            "class",
            f"{target}: {', '.join(map(str, classes[:SHOWN]))}{', ...' * (len(classes) > SHOWN)}",
        ),
        (
            "structure",
            f"{structure}, {len(_between(found))} arcs between features, in {seconds:.1f} s",
        ),
    ]
    terminal.show(terminal.facts(about), "")
    _show_arcs(found)
    if found.validated is not None:
        _show_validated(found.validated)
    outputs.say_written(written)


def _written_as(structure: str) -> str:
    """What the file holds: of an average, one network only."""
    return {
        "aode": "one network of the average, with the most informative parent",
        "averaged": "one network of the average, the most probable",
    }.get(structure, "the classifier")


def _losses(
    texts: list[str] | None, classes: tuple[Any, ...]
) -> dict[tuple[Any, Any], float] | None:
    """Losses by pairs of classes, from texts such as 'spam,ham=10'."""
    from arcwise.errors import OptionError

    if not texts:
        return None
    known, found = {str(each): each for each in classes}, {}
    for text in texts:
        pair, _, cost = text.rpartition("=")
        names = [name.strip() for name in pair.split(",")]
        value = numbers([cost])
        if len(names) != 2 or not set(names) <= set(known) or value is None:
            raise OptionError(
                f"--loss must be TRUE,DECIDED=NUMBER with classes of {', '.join(known)}, "
                f"got {text!r}."
            )
        found[known[names[0]], known[names[1]]] = value[0]
    return found


def _between(found: Classification) -> list[tuple[str, str]]:
    target = found.classifier.target
    return [arc for arc in found.classifier.net.graph.arcs if target not in arc]


def _document(found: Classification, written: list[str]) -> dict[str, Any]:
    return {
        **({} if found.validated is None else found.validated.document()),
        "settings": dict(found.settings),
        "arcs": [list(arc) for arc in found.classifier.net.graph.arcs],
        "notes": [note.to_dict() for note in found.classifier.notes],
        "written": written,
    }


def _show_arcs(found: Classification, most: int = 20) -> None:
    arcs = _between(found)
    if arcs:
        terminal.show(*(f"{tail} -> {head}" for tail, head in arcs[:most]))
        if len(arcs) > most:
            terminal.show(f"... and {len(arcs) - most} more")
        terminal.show("")


def _show_validated(found: ClassProbabilities) -> None:
    about = (
        ("rows", f"{found.rows} in {found.folds} folds"),
        ("accuracy", f"{found.accuracy:.4f} ± {found.accuracy_error:.4f}"),
        ("log-loss", f"{found.log_loss:.4f} ± {found.log_loss_error:.4f} nats"),
        ("Brier score", f"{found.brier:.4f}"),
        ("calibration", f"mean distance {found.calibration_error:.4f}"),
    )
    terminal.show(terminal.facts(about), "")
    if len(found.classes) <= SHOWN:
        terminal.show(terminal.frame_grid(found.frame), "")
    lines = [
        (f"{e.low:g} to {e.high:g}", f"{e.rows:g}", f"{e.predicted:.3f}", f"{e.observed:.3f}")
        for e in found.calibration()
    ]
    terminal.show(terminal.grid(["probability", ">cases", ">predicted", ">observed"], lines), "")

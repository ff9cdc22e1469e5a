"""The command that learns a classifier and judges it: ``classify``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from arcwise.cli import flags, outputs, terminal
from arcwise.cli.arguments import numbers
from arcwise.cli.flags import learning_option, main_output, model_option, validation_option

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
    structure: Annotated[str, model_option("{structures}")] = "tan",
    features: Annotated[str, model_option("auto|discretise|gaussian|parzen")] = "auto",
    k: Annotated[int, model_option("NUMBER", "--k", least=0)] = 2,
    arc_score: Annotated[str | None, learning_option("loglik|aic|bic|bdeu|SCORE")] = None,
    search: Annotated[str, learning_option("{searches}")] = "auto",
    select: Annotated[str | None, learning_option("{selections}")] = None,
    alpha: Annotated[float, model_option("NUMBER", least=0)] = 1.0,
    equivalent_sample_size: Annotated[float | None, model_option("NUMBER", least=0)] = None,
    loss: Annotated[list[str] | None, model_option("TRUE,DECIDED=NUMBER")] = None,
    folds: Annotated[int, validation_option("NUMBER", least=0)] = 10,
    seed: Annotated[int, validation_option("NUMBER", least=0)] = 0,
    stream: flags.Stream = False,
    output: Annotated[Path | None, main_output()] = None,
    plot: flags.Plot = None,
    json: flags.Json = False,
) -> None:
    """Learn a Bayesian classifier and cross-validate it.

    Prints the arcs between features and, on held-out rows, the accuracy, the log-loss, the confusion matrix
    and the calibration of the probabilities. Missing features are summed out.

    Example: arcwise classify spambase.csv class --structure tan -o spam.json

    Parameters
    ----------
    structure : the arcs allowed between features.
    features : discretise continuous features, or model them.
    k : the largest number of feature parents, for kdb and free.
    arc_score : the score of arcs between features.
    search : the search algorithm for a free structure.
    select : select features by cross-validated accuracy.
    alpha : the pseudo-count of each cell of a table.
    equivalent_sample_size : the pseudo-count of a whole table instead.
    loss : the cost of a wrong decision, as in spam,ham=10.
    folds : the number of folds; 0 omits the validation.
    seed : the same seed gives the same folds.
    output : write the classifier as a model file.
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

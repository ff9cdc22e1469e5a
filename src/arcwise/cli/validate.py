"""``arcwise validate``: how well a choice of words does on rows it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli import choices, shown, words

if TYPE_CHECKING:
    from arcwise.evaluate import Validation

__all__ = ["validate"]


def validate(
    data: choices.DataFile,
    folds: Annotated[
        int,
        typer.Option(
            "--folds", metavar="NUMBER", min=2, help="Parts, each of which is left out once."
        ),
    ] = 10,
    only: choices.Only = None,
    drop: choices.Drop = None,
    kind: choices.Kinds = None,
    weights: choices.Weights = None,
    missing: choices.Missing = None,
    graph: choices.Graph = "directed",
    model: choices.Model = "auto",
    score: choices.Score = None,
    search: choices.Search = "auto",
    penalty: choices.Penalty = None,
    start: choices.Start = "empty",
    option: choices.Options = None,
    seed: choices.Seed = 0,
    jobs: choices.Jobs = 1,
    require: choices.Require = None,
    forbid: choices.Forbid = None,
    tier: choices.Tier = None,
    max_parents: choices.MaxParents = None,
    expert: choices.Expert = None,
    expert_weight: choices.ExpertWeight = 0.1,
    prior_rows: choices.PriorRows = None,
    json: choices.Json = False,
) -> None:
    """Cross-validate a way of learning: likelihood and prediction errors on rows left out.

    Every row is scored by the network learned from the other parts.

    Example: arcwise validate wine.csv --score bge --folds 5
    """
    asked = dict(locals())
    from arcwise import api

    found = api.validate(words.table(asked), folds=folds, **words.learning_words(asked))
    if json:
        shown.show_json(found.to_dict())
    else:
        _show(found)


def _show(found: Validation) -> None:
    fewest, most = min(found.edges), max(found.edges)
    arcs = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    about = (
        ("rows", f"{len(found.log_density)} in {len(found.edges)} parts"),
        (
            found.measure,
            f"{found.mean:.4f} ± {found.error:.4f} nats per unseen row (median {found.median:.4f})",
        ),
        ("edges", arcs),
    )
    order = sorted(
        range(len(found.names)), key=lambda i: (found.r2[i] != found.r2[i], -found.r2[i])
    )
    lines = [
        (
            shown.styled(found.names[i]),
            shown.styled(f"{found.rmse[i]:.4g}"),
            shown.styled(f"{found.r2[i]:.3f}"),
            shown.bar(float(found.r2[i]), "blue"),
        )
        for i in order
    ]
    shown.show(shown.facts(about), "")
    shown.show(shown.grid(["variable", ">rmse", ">R2", ""], lines), "")
    shown.show(shown.styled("Each variable predicted from all the others.", "dim"))

"""Quick replicates: local models one step from those of all rows, and searches that begin at their graph."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Fits
from arcwise.data import CompletedRows, Statistics, WeightedRows
from arcwise.errors import ArcwiseError, FitError
from arcwise.graphs import DAG, UGraph
from arcwise.learners.directed import DirectedProblem
from arcwise.learners.posteriors.plan import Plan
from arcwise.learners.posteriors.replicates import (
    ResolvedSpecification,
    child_of,
    count_graphs,
    failure_notes,
    no_replicate,
    row_weights,
)
from arcwise.notes import Note, NoteKind, notes_of
from arcwise.results import GraphDistribution, SearchEnd, Watch
from arcwise.scores import SCORES

__all__ = ["NearReplicates", "near_distribution"]

_MAX_WEIGHTS = 20_000_000  # weights of all replicates that are kept at the same time: 160 MB


@dataclass(frozen=True, eq=False)
class NearReplicates:
    """Replicates whose local models are one step from those of all rows, and whose searches begin at a graph.

    Parameters
    ----------
    problem : of all rows.
    start : the graph that the search in all rows found.
    fits : of each replicate.
    penalty : the same in all replicates.
    watch : may stop the run.
    """

    problem: DirectedProblem
    start: DAG
    fits: tuple[Fits, ...]
    penalty: float
    watch: Watch | None = None

    @classmethod
    def of(
        cls,
        choices: ResolvedSpecification,
        start: DAG | UGraph,
        fits: Fits | None,
        rng: np.random.Generator,
        count: int,
    ) -> "NearReplicates | None":
        """Return the first replicates of `Replicates` with a bootstrap, or None if local models have no such
        step.

        Parameters
        ----------
        choices : with the problem of all rows.
        start : the graph that was found in all rows.
        fits : of all rows, with local models that are known; those of the problem if None.
        rng : as of `Replicates`.
        count : replicates.
        """
        spec, problem = choices.spec, choices.problem
        base = problem.fits if fits is None else fits
        charged = SCORES[problem.score_word].charges is not None
        if not charged or spec.search != "auto" or not isinstance(problem, DirectedProblem):
            return None
        data = base.statistics
        if not data.uniform or not data.has_rows or isinstance(data, WeightedRows):
            return None
        rows = data.rows("Resampling needs", "read the file as a table").rows
        if not isinstance(start, DAG) or count * rows > _MAX_WEIGHTS:
            return None
        weights = np.stack([_weights(data, child_of(rng, number)) for number in range(count)])
        resampled = base.resampled(weights, start)
        if resampled is None:
            return None
        bound = replace(problem, spec=spec)
        return cls(bound, start, resampled, choices.penalty)

    def __call__(self, number: int) -> tuple[DAG, ...] | Note | None:
        """Return the graph of a replicate; a note if nothing can be learned, None if time was up."""
        try:
            problem = replace(self.problem, fits=self.fits[number])
            return (problem.structure_from(self.start, self.penalty, self.watch),)
        except SearchEnd:
            return None
        except ArcwiseError as error:
            return Note(NoteKind.CERTAINTY, error.text, fixes=error.fixes)


def _weights(data: Statistics, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the weights of the rows in a replicate; one draw of each row with missing values counts."""
    weights = row_weights(data.cases("Resampling needs"), rng)
    return data.one_draw(weights, rng) if isinstance(data, CompletedRows) else weights


def near_distribution(
    work: NearReplicates, pieces: Sequence[Any], notes: tuple[Note, ...]
) -> GraphDistribution:
    """Return the frequencies of graphs over such replicates."""
    graphs = [piece[0] for piece in pieces if not isinstance(piece, Note)]
    failed = [piece for piece in pieces if isinstance(piece, Note)]
    if not graphs:
        raise no_replicate(failed[0]) if failed else FitError("No replicate.")
    failures = notes_of(NoteKind.CERTAINTY, *failure_notes(failed, len(pieces)))
    about = {"penalty": work.penalty}
    return count_graphs(
        graphs, work.problem, Plan(resampling="bootstrap"), (*notes, *failures), about
    )

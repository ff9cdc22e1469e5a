"""Learning of directed graphs: a search for the best score, then a local model for every node."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Statistics
from arcwise.errors import GraphError, unknown
from arcwise.graphs import DAG, Limits, complete_dag, random_dag
from arcwise.learners.options import has_parameter
from arcwise.learners.parameters import blanket_note, directed_net
from arcwise.learners.problem import FEW, LearnedNetwork, Problem
from arcwise.learners.proof import compared_graphs
from arcwise.learners.proposal import propose
from arcwise.learners.specification import Specification
from arcwise.networks import Net
from arcwise.notes import Blank, Fix, Note, NoteKind, Stop, StopReason, notes_of
from arcwise.results import ASKED, Result, SearchEnd, Trail, Watch, patient_check
from arcwise.scores import ArcPenalty, ExpertPrior, Score, Sum
from arcwise.search import SEARCHES

__all__ = ["DirectedProblem"]

_EXPERT_WEIGHT = 0.1  # nats per difference and row, where no other penalty is given
_ROUNDS = 10  # of searching and tuning what local models share
_EXACT = 12  # columns up to which the best of all graphs takes milliseconds
_EXACT_SECONDS = 0.1  # forecast of an exact search, beyond which replicates do without
_STEPS = 10**9  # no bound, but "auto" is exact only where there is none at all
_CHILDREN = 12  # variables that are tried as the only child of a class, each by a search
_SMALL = 20  # columns up to which complete graphs are harmless


class DirectedProblem(Problem):
    """A problem whose solution is a directed graph of best score."""

    graph = "directed"
    searches = SEARCHES

    @classmethod
    def bind(cls, spec: Specification, statistics: Statistics, watch: Watch | None = None) -> Self:
        """Bind a specification to data; few rows bound the number of parents, which a note reports."""
        problem = super().bind(spec, statistics, watch)
        problem = problem.said(_apart_note(problem._apart))
        most = problem._most_parents
        if most is None:
            return problem
        plural = "s" * (most != 1)
        note = (
            f"Rows are few ({problem.fits.rows:g}): a variable may have at most {most} "
            f"parent{plural}."
        )
        text = f"{note} A rule {{max_parents=}} sets another bound."
        return problem.said(Note(NoteKind.SEARCH, text, fixes=(Fix("max_parents", Blank("N")),)))

    @property
    def _apart(self) -> tuple[str, ...]:
        """Return the columns that have no arcs under the default score."""
        return () if self.spec.score is not None else self.defaults.apart

    @property
    def _most_parents(self) -> int | None:
        """Return the number of parents that few rows support, if that is a bound and no rule sets one."""
        most = self.defaults.max_parents
        if self.spec.rules.max_parents is not None or most is None:
            return None
        return most if most < len(self.fits.nodes) - 1 else None

    @property
    def bounds(self) -> dict[str, Any]:
        """Return bounds on graphs that no rule set: for few rows, and for columns of many levels."""
        most, apart = self._most_parents, list(self._apart)
        bounds = {} if most is None else {"max_parents": most}
        return {**bounds, **({"without_arcs": apart} if apart else {})}

    @cached_property
    def limits(self) -> Limits:
        """The rules on these columns, without arcs at columns set apart or without a local model."""
        return _bar_parents(self._allowed, self.fits.never)

    @property
    def _allowed(self) -> Limits:
        """Return the rules on these columns, without arcs at columns set apart."""
        nodes = self.fits.nodes
        apart = frozenset(nodes.index(name) for name in self._apart)
        everything = frozenset(range(len(nodes)))
        return _bar_parents(self._bounded, lambda child: everything if child in apart else apart)

    @cached_property
    def _rules(self) -> Limits:
        """The user's rules on these columns."""
        return self.spec.rules.on(self.fits.nodes)

    @property
    def _bounded(self) -> Limits:
        """The user's rules, and the bound on parents of few rows."""
        most = self._most_parents
        if most is None:
            return self._rules
        start_parents = self.spec.start.parents if isinstance(self.spec.start, DAG) else ()
        least = max(map(len, (*start_parents, *self._rules.required)), default=0)
        return replace(self._rules, max_parents=max(most, least))

    def learn(self, penalty: float, watch: Watch | None = None) -> LearnedNetwork:
        """Search for the graph, and fit its local models."""
        return self.learn_from(self.begin(self.spec), penalty, watch)

    def learn_from(
        self, begin: DAG | None, penalty: float, watch: Watch | None = None, **options: Any
    ) -> LearnedNetwork:
        """Search for the graph from a start, and fit its local models; `options` of the search."""
        problem, result = self._found(penalty, begin, {**self.options, **options}, watch)
        net = directed_net(result.graph, problem.fits, check=patient_check(watch))
        messages = (
            _unmoved_note(result, begin, self.limits),
            _small(result, self.fits.rows),
            blanket_note(net, problem.fits),
        )
        return LearnedNetwork(
            problem,
            net,
            result.score,
            penalty,
            result.trace,
            result.stopped,
            self.limits,
            optimal=result.optimal,
            notes=notes_of(NoteKind.SEARCH, *messages),
        )

    def structure(self, penalty: float, watch: Watch | None = None) -> DAG:
        """Return the graph at a penalty alone; "auto" ends at its first optimum, and is exact for few
        columns.
        """
        return self.structure_from(self.begin(self.spec), penalty, watch)

    def structure_from(self, begin: DAG | None, penalty: float, watch: Watch | None = None) -> DAG:
        """Return the same from a start."""
        quick: dict[str, Any] = {"patience": 0} if self.spec.search == "auto" else {}
        columns = len(self.limits.nodes)
        seconds = columns * 2.0**columns * self.fits.seconds(columns // 2)
        if quick and (columns > _EXACT or seconds > _EXACT_SECONDS):
            quick["max_steps"] = _STEPS
        _, result = self._found(penalty, begin, {**quick, **self.options}, watch)
        if result.stopped == ASKED:
            raise SearchEnd
        return result.graph

    def _found(
        self, penalty: float, begin: DAG | None, options: Mapping[str, Any], watch: Watch | None
    ) -> tuple[Self, Result]:
        """Return the result of a search, and the problem tuned to its graph.

        If local models share a bandwidth, it is tuned to the graph, and the search continues.
        """
        self.foretell(len(self.limits.nodes) ** 2, watch, least=True)
        if has_parameter(self.search, "rng"):
            options = {"rng": self.spec.stream(2), **options}
        problem = tuned = self
        if begin is None and self.spec.search == "auto":
            begin = propose(self.fits, self.limits, self.spec.stream(3), watch)
        result = best = self._search(penalty, begin, options, watch)
        trace = result.trace
        for _ in range(_ROUNDS):
            if self.fits.shared and Trail(watch).tick("tune", result.score, result.graph.n_arcs):
                best = replace(best, stopped=ASKED)
                break
            fresh = None if result.stopped == ASKED else problem.retuned(result.graph)
            if fresh is None:
                break
            problem, result = fresh, fresh._search(penalty, result.graph, options, watch)
            trace += tuple(replace(s, number=s.number + len(trace)) for s in result.trace)
            if result.score > best.score:
                tuned, best = problem, result
        return tuned, self._proved(replace(best, trace=trace))

    def _proved(self, result: Result) -> Result:
        """Return the result with the set of graphs for which it is proved optimal: all, some, or those
        of a bandwidth.
        """
        if result.stopped.reason is not StopReason.OPTIMAL:
            return result
        if self.fits.shared:
            tuned = Stop(StopReason.OPTIMAL, "for its bandwidths")
            return replace(result, optimal=False, stopped=tuned)
        if not result.optimal:
            best = Stop.converged("the best graph with the most promising child was found")
            return replace(result, stopped=best)
        variables = self.data.variables
        among = compared_graphs(
            self.score,
            self._allowed,
            [len(variable.levels or (0,)) for variable in variables],
            ruled=not self._rules.free,
            apart=self._apart,
            most_parents=self._most_parents,
            cells_per_row=self.score_options.get("cells_per_row"),
        )
        return replace(result, stopped=Stop(StopReason.OPTIMAL, f"among {among}" if among else ""))

    def _search(
        self, penalty: float, start: DAG | None, options: Mapping[str, Any], watch: Watch | None
    ) -> Result:
        score = self.penalised(penalty)

        def searched(limits: Limits) -> Result:
            begin = start if start is not None and limits.allows_graph(start) else None
            result: Result = self.search(score, begin, limits=limits, on_step=watch, **options)
            return result

        if self.spec.rules.target is None:
            result: Result = self.search(score, start, limits=self.limits, on_step=watch, **options)
            return result
        return _with_child(score, self.limits, score.nodes.index(self.spec.rules.target), searched)

    def begin(self, spec: Specification) -> DAG | None:
        """Return the start graph of a search by this specification; None for the required arcs alone."""
        start, limits, rng = spec.start, self.limits, spec.stream(1)
        if isinstance(start, DAG):
            return _over(start, limits.nodes, "start graph")
        if start == "empty":
            return None
        if start == "complete":
            return complete_dag(limits, rng)
        if start == "random":
            graph = random_dag(limits.nodes, min(2.0, len(limits.nodes) - 1), rng)
            return graph if limits.allows_graph(graph) else None
        raise unknown("start", start, ("empty", "complete", "random"))

    def penalised(self, penalty: float) -> Score:
        """Return the score with its priors over graphs."""
        base, parts = self.score, [self.score]
        if penalty:
            parts.append(ArcPenalty(base.nodes, base.rows, penalty))
        if self.spec.expert is not None:
            expert = _over(self.spec.expert, base.nodes, "expert's graph")
            parts.append(_expert_prior(expert, base.rows, self.spec.expert_weight))
        return base if len(parts) == 1 else Sum(parts)

    def grid(self) -> NDArray[np.float64]:
        """Return a grid of penalties, in nats per arc and row.

        An arc outweighs its estimation error from a total gain of about half a nat (the penalty is 1 for AIC,
        half of log n for BIC), so the grid is around these, up to 30 nats, or to three times the family's
        default penalty. Without a penalty graphs are complete: it is included only if these are small.
        """
        table = self.source
        totals = np.geomspace(0.5, max(30.0, 3 * self.usual_penalty * table.total), 12)
        small = len(table.names) <= _SMALL
        return np.concatenate([[0.0], totals] if small else [totals]) / table.total

    def along(self, penalties: NDArray[np.float64], watch: Watch | None) -> list[Net] | None:
        """Return a network for each penalty, by one search each; None if the callback stopped one early."""
        # The choice of a penalty needs no rounds beyond the first optimum.
        once = {"patience": 0} if self.spec.search == "auto" else {}
        nets: list[Net] = []
        for penalty in penalties.tolist():
            begin = self.begin(self.spec)
            problem, result = self._found(penalty, begin, {**once, **self.options}, watch)
            if result.stopped == ASKED:
                return None
            nets.append(
                directed_net(
                    result.graph, problem.fits, check=None if problem.fits.closed else _no_blankets
                )
            )
        return nets


def _bar_parents(limits: Limits, parents: Callable[[int], frozenset[int]]) -> Limits:
    """Return the limits with some parents forbidden for each child, except required ones."""
    rows = [parents(child) for child in range(len(limits.nodes))]
    if not any(rows):
        return limits
    before = limits.barred or (frozenset[int](),) * len(limits.nodes)
    barred = tuple(
        (row | more) - {child, *limits.required[child]}
        for child, (row, more) in enumerate(zip(before, rows, strict=True))
    )
    return replace(limits, barred=barred)


def _apart_note(apart: tuple[str, ...]) -> Note | None:
    if not apart:
        return None
    names = ", ".join(map(repr, apart[:3])) + (", ..." if len(apart) > 3 else "")
    text = (
        f"More than one level per two rows: {names}. Such columns get no arcs under the default "
        "score; drop them, merge levels, or give {score=}."
    )
    return Note(NoteKind.MODEL, text, apart, (Fix("score"),))


def _with_child(
    score: Score, limits: Limits, target: int, searched: Callable[[Limits], Result]
) -> Result:
    """Return the best graph in which a class without parents has a child.

    If the best graph without this rule violates it, an arc from the class into each variable in turn is
    required, and the best result is used: so every search obeys, and exact search stays exact. With many
    variables, only the arc with the largest gain alone is required.
    """
    bare = replace(limits, condition=None)
    first = searched(bare)
    if first.graph.children[target]:
        return first
    able = [i for i in range(len(limits.nodes)) if bare.allowed_mask(i)[target]]
    if not able:
        name = limits.nodes[target]
        raise GraphError(
            f"A target must have a child, but the rules allow none for {name!r}: allow "
            "an arc out of it."
        )
    gains = {i: score.local(i, (target,)) - score.local(i, ()) for i in able}
    ranked = sorted(able, key=lambda i: (-gains[i], i))
    tried = ranked if len(ranked) <= _CHILDREN else ranked[:1]
    results = [searched(_require_arc(bare, target, child)) for child in tried]
    best = max(results, key=lambda result: result.score)
    return replace(best, optimal=best.optimal and len(tried) == len(ranked))


def _require_arc(limits: Limits, tail: int, head: int) -> Limits:
    """Return the limits with one more required arc."""
    rows = list(limits.required)
    rows[head] = tuple(sorted({*rows[head], tail}))
    return replace(limits, required=tuple(rows))


def _no_blankets() -> None:
    """Predictions of complete rows need no blanket models."""
    raise SearchEnd


def _unmoved_note(result: Result, begin: DAG | None, limits: Limits) -> str:
    """Return a sentence if a search was stopped before any result."""
    if result.stopped != ASKED or result.graph != (begin or limits.start()):
        return ""
    return "Learning was stopped, and the graph is still the start graph: allow more time."


def _small(result: Result, rows: float) -> str:
    """Return a sentence if a graph is optimal, and has more parameters than there are rows."""
    parameters = sum(2 + len(row) for row in result.graph.parents)
    if not result.optimal or rows >= parameters or rows < FEW:
        return ""
    return (
        f"The graph of best score need not be the true graph: it has {parameters} parameters (means, "
        f"variances, arcs) estimated from {rows:g} rows."
    )


def _over(graph: DAG, nodes: tuple[str, ...], what: str) -> DAG:
    """Return a user's graph on the columns of the data; `what` names it in errors."""
    extra = sorted(set(graph.nodes) - set(nodes))
    if extra:
        raise GraphError(
            f"The {what} has variables that are not in the data: {', '.join(extra[:5])}."
        )
    return graph.over(nodes)


def _expert_prior(
    expert: DAG, rows: float, weight: float | Mapping[tuple[str, str], float]
) -> ExpertPrior:
    """Return the prior around an expert's graph: one penalty for all arcs, or a confidence for some."""
    if not isinstance(weight, Mapping):
        return ExpertPrior(expert, rows, weight)
    p = len(expert.nodes)
    prices = np.full((p, p), _EXPERT_WEIGHT)
    for (tail, head), price in weight.items():
        prices[expert.index(tail), expert.index(head)] = price
    return ExpertPrior(expert, rows, _EXPERT_WEIGHT, prices)

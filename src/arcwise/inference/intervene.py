"""Answers to ``do`` over the graphs equivalent to a learned one.

Data identify a graph only up to equivalence, and an intervention has a different effect in each equivalent
graph. The density after x_S is set is p(x) / prod over s in S of p(x_s | parents of s), and p(x) is the same
in the whole class: only the parents of the set variables matter. So one graph suffices for each combination
of their parent sets (Maathuis, Kalisch and Buehlmann 2009, and for several set
variables Nandy, Maathuis and Richardson 2017).

Linear-Gaussian models and tables give the whole class one joint distribution: the local models of another
member follow from that of the network, and no data are needed. Parzen windows are fitted again to the rows
that they keep.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import (
    Conditional,
    ConditionalGaussianModel,
    DiscreteConditional,
    GaussianConditional,
    linear_of,
)
from arcwise.conditionals.capabilities import windows_of
from arcwise.conditionals.gaussian import regress
from arcwise.data.variable import sentence_list
from arcwise.errors import FitError, join_words, plural
from arcwise.graphs import DAG, PDAG, Limits, cpdag, some_members
from arcwise.graphs.nodes import topological, transpose
from arcwise.inference.evidence import upward
from arcwise.inference.gibbs_chains import FAR
from arcwise.inference.linear_gaussian import NOTHING, centres, roots
from arcwise.inference.ranges import Range
from arcwise.networks import BayesNet
from arcwise.notes import Fix, Note, answer_note

__all__ = ["turn", "turnable"]

EXACT_GRAPHS = 500
"""Default largest number of equivalent graphs if inference has a closed form."""

SIMULATED_GRAPHS = 50
"""Default largest number of equivalent graphs if inference is simulated."""

_ALONE = (
    "The rows are from the learned graph only: a query with {do=} has the range over other graphs."
)
ONE_GRAPH = answer_note(_ALONE, fixes=(Fix("do"),))
"""Note on draws after `do`."""

_PER_GRAPH = 10  # members of the class of each graph of a certainty
_SAME = answer_note("The graphs that are equivalent to the learned one give the same answer.")

Fitted = Callable[[DAG], tuple[Conditional, ...]]
Refit = Callable[[int, tuple[int, ...]], Conditional]
Edges = tuple[tuple[str, str], ...]
Answer = TypeVar("Answer", bound=Any)


@dataclass(frozen=True, eq=False)
class Equivalents:
    """The graphs equivalent to a learned one.

    Parameters
    ----------
    essential : the class, rules in force included.
    refit : fits the local model of a variable given others; None without rows to fit it to.
    rules_known : whether the rules of learning are known.
    certainty : other graphs, of resampled tables or a posterior, with their name; or none.
    """

    essential: PDAG
    refit: Refit | None = None
    rules_known: bool = True
    certainty: "OtherGraphs | None" = None


@dataclass(frozen=True, eq=False)
class OtherGraphs:
    """The graphs behind a certainty of edges, with their name; or the reason why there are none.

    Parameters
    ----------
    graphs : the graphs, all over the variables of the network.
    limits : the rules in force, which direct edges of a class, too.
    over : the name of such graphs.
    why : the reason why there are none.
    """

    graphs: tuple[DAG, ...] = ()
    limits: Limits | None = None
    over: str = "graph"
    why: Note | None = None


def with_range(answer: Answer, *question: Any) -> Answer:
    """Return an answer with its range (see `range_over`)."""
    return replace(answer, range=range_over(answer, *question))


def range_over(
    answer: Any,
    net: BayesNet,
    forced: Sequence[int],
    ask: Callable[[BayesNet], Any],
    equivalents: Equivalents,
    most: int | None,
    rng: np.random.Generator,
    make: type[Range] = Range,
) -> Range:
    """Return the range of an answer over the equivalent graphs and those of a certainty.

    Parameters
    ----------
    answer : the answer of the network itself.
    net : the network that was learned.
    forced : the variables that are set.
    ask : returns the answer of another network to the same query.
    equivalents : the class of the graph.
    most : largest number of graphs; None for the default.
    rng : random generator, to select among more graphs.
    make : the kind of range.
    """
    edges = _free_edges(equivalents.essential, forced)
    local_models = _local_models(net, equivalents.essential, forced, equivalents.refit)
    if not edges:
        range_ = make((answer,), (), True, (_SAME,))
    elif local_models is None:
        range_ = make((), edges, False, (_unknown(edges),))
    else:
        usual = EXACT_GRAPHS if answer.error == 0 else SIMULATED_GRAPHS
        graphs = some_members(equivalents.essential, net.graph, forced, most or usual, rng)
        answers = (answer, *_answers_of(net, graphs.graphs[1:], local_models, ask))
        missed = len(graphs.graphs) - len(answers)
        range_ = make(answers, edges, graphs.complete and not missed)
        names = [net.names[node] for node in forced]
        range_ = replace(range_, notes=_notes(range_, names, missed, not graphs.complete))
    if not equivalents.rules_known:
        range_ = range_.noted(_NO_RULES)
    return _over_graphs(range_, answer, net, forced, ask, equivalents, rng)


def _over_graphs(
    range_: Range,
    answer: Any,
    net: BayesNet,
    forced: Sequence[int],
    ask: Callable[[BayesNet], Any],
    equivalents: Equivalents,
    rng: np.random.Generator,
) -> Range:
    """Return a range with that over the graphs of a certainty, each with its equivalent ones."""
    other, refit = equivalents.certainty, equivalents.refit
    if other is None:
        return range_
    why = other.why or (answer_note("answers are simulated") if answer.error != 0 else None)
    if why or not other.graphs:
        why = why or answer_note("no rows")
        text = f"There is no range over other graphs, since they have no certainty: {why.text}."
        return range_.noted(text, *why.fixes)
    if refit is None:
        many = plural(len(other.graphs), other.over)
        text = f"The range over {many} needs the training data: {{load()}}."
        return range_.noted(text, Fix(verb="load", arguments="path, data="))
    graphs = {
        member
        for graph in other.graphs
        for member in some_members(
            cpdag(graph, other.limits), graph, forced, _PER_GRAPH, rng
        ).graphs
    }
    ordered = sorted(graphs, key=lambda graph: graph.parents)

    def fitted(graph: DAG) -> tuple[Conditional, ...]:
        return tuple(refit(node, row) for node, row in enumerate(graph.parents))

    answers = (answer, *_answers_of(net, ordered, fitted, ask))
    suffix = " with" if len(other.graphs) == 1 else ", each with"
    over = f"{plural(len(other.graphs), other.over)}{suffix} equivalent ones"
    return replace(range_, graphs=type(range_)(answers, (), True, over=over))


def set_far(net: BayesNet, forced: Mapping[int, float], target: int) -> tuple[Note, ...]:
    """Return a note on each cause of a target that is set to a value far from all rows."""
    notes = []
    for node, value in forced.items():
        if net.names[target] not in net.graph.descendants_of(net.names[node]):
            continue
        off = max(
            _off(net.conditionals[child], net.graph.parents[child].index(node), value)
            for child in net.graph.children[node]
        )
        if off > FAR:
            name, far = net.names[node], f"{off:.3g} standard deviations away"
            text = f"{name!r} is set {far} from every row of the data: the answer is unreliable."
            notes.append(answer_note(text, (name,)))
    return tuple(notes)


def _off(model: Conditional, index: int, value: float) -> float:
    """Return the distance of a value from the nearest row, in the input's scale; 0 for levels or no rows."""
    windows = windows_of(model)
    if windows is None or (windows.unordered and windows.unordered[index]):
        return 0.0
    nearest = np.abs(np.asarray(windows.inputs[index], dtype=float) - value).min()
    return float(nearest / windows.scales[index + 1])


def _free_edges(essential: PDAG, forced: Sequence[int]) -> Edges:
    """Return the edges without a direction at the set variables, by names, each once."""
    pairs = {
        (min(node, other), max(node, other))
        for node in forced
        for other in essential.neighbours[node]
    }
    return tuple((essential.nodes[one], essential.nodes[two]) for one, two in sorted(pairs))


def _answers_of(
    net: BayesNet, graphs: Iterable[DAG], models: Fitted, ask: Callable[[BayesNet], Answer]
) -> list[Answer]:
    """Return the answers of other members; those without one are omitted."""
    answers = []
    for graph in graphs:
        try:
            answers.append(ask(BayesNet(net.variables, graph, models(graph))))
        except FitError:
            continue
    return answers


# -- local models of other members -----------------------------------------------------------------


def _local_models(
    net: BayesNet, essential: PDAG, forced: Sequence[int], refit: Refit | None
) -> Fitted | None:
    """Return a function for the local models of a member; None if there is none."""
    if turnable(net):
        return lambda graph: turn(net, graph)
    fits = _regressions(net, essential, forced) if _linear(net) else refit
    if fits is None:
        return None
    return lambda graph: tuple(
        model if parents == other else fits(node, other)
        for node, (model, parents, other) in enumerate(
            zip(net.conditionals, net.graph.parents, graph.parents, strict=True)
        )
    )


def _linear(net: BayesNet) -> bool:
    return all(linear_of(model) is not None for model in net.conditionals)


def _regressions(net: BayesNet, essential: PDAG, forced: Sequence[int]) -> Refit:
    """Return regressions in the joint normal distribution of all variables that reversals can affect."""
    nodes = _around(essential, forced)
    hidden = nodes | upward(net.graph, nodes, ())
    order = [node for node in net.graph.order() if node in hidden]
    index_of = {node: i for i, node in enumerate(order)}
    root = roots(net, order, hidden)
    mean = centres(net, order, hidden, NOTHING)[0]
    rows = max(float(getattr(model, "rows", 0.0)) for model in net.conditionals)
    models: dict[tuple[int, tuple[int, ...]], GaussianConditional] = {}

    def regression(child: int, parents: tuple[int, ...]) -> GaussianConditional:
        if (child, parents) not in models:
            positions = [index_of[node] for node in (child, *parents)]
            part = root[positions]
            size = rows or 1.0
            model = regress(size, mean[positions], size * (part @ part.T))
            if not rows:  # made by hand: the parameters are taken as known
                model = replace(model, rows=0.0, spread=np.zeros_like(model.spread))
            models[child, parents] = model
        return models[child, parents]

    return regression


def _around(essential: PDAG, forced: Sequence[int]) -> set[int]:
    """Return all nodes connected with the set ones by undirected edges, and their parents."""
    reached, waiting = set(forced), list(forced)
    while waiting:
        fresh = set(essential.neighbours[waiting.pop()]) - reached
        reached |= fresh
        waiting.extend(fresh)
    return reached.union(*(essential.parents[node] for node in reached))


# -- sentences -------------------------------------------------------------------------------------

_NO_RULES = "The file lacks the rules of learning; they may exclude some of these graphs."


def _notes(range_: Range, names: Sequence[str], missed: int, cut: bool) -> tuple[Note, ...]:
    """Return notes on the graphs of the range, and on omitted ones."""
    together = " together" if len(names) > 1 else ""
    sets = f"sets of parents that {sentence_list(names)} can have{together} in equivalent graphs"
    reason = f"Data alone do not determine the direction of {_edges(range_.edges)}"
    if cut:
        more = "there are more, and {max_graphs=} sets their number"
        text = f"{reason}: the range is over {len(range_) + missed} of the {sets} ({more})."
    elif range_.same:
        text = f"{reason}, but mean and sd are the same for all {len(range_)} {sets}."
    else:
        text = f"{reason}: the range is over the {len(range_) + missed} {sets}."
    over = answer_note(text, tuple(names), (Fix("max_graphs"),) * cut)
    if not missed:
        return (over,)
    graphs = "one of them" if missed == 1 else f"{missed} of them"
    text = f"The question has no answer for {graphs}, which the range excludes."
    return over, answer_note(text)


def _unknown(edges: Edges) -> Note:
    text = (
        f"Data alone do not determine the direction of {_edges(edges)}, and the answer depends "
        "on it; its range over equivalent graphs needs the training data."
    )
    return answer_note(text, tuple(dict.fromkeys(name for edge in edges for name in edge)))


def _edges(edges: Edges) -> str:
    """Return edges as text."""
    return join_words((f"{one} -- {two}" for one, two in edges), most=5)


Array = NDArray[np.float64]
Rows = tuple[tuple[int, ...], ...]


def turnable(net: BayesNet) -> bool:
    """Return whether the local models of equivalent graphs follow from those of the network."""
    kinds = (DiscreteConditional, ConditionalGaussianModel)
    return all(isinstance(model, kinds) for model in net.conditionals)


def turn(net: BayesNet, graph: DAG) -> tuple[Conditional, ...]:
    """Return the local models of an equivalent graph that give it the joint distribution of a network.

    Parameters
    ----------
    net : a network whose local models are tables or conditional Gaussian ones (see `turnable`).
    graph : an equivalent graph of the same nodes; arcs from levels to numbers keep their direction.

    >>> from arcwise.data import Variable
    >>> levels = ("no", "yes")
    >>> tables = (np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.6, 0.4]]))
    >>> models = tuple(map(DiscreteConditional, tables))
    >>> variables = (Variable("a", levels), Variable("b", levels))
    >>> net = BayesNet(variables, DAG.from_arcs(["a -> b"]), models)
    >>> first, second = turn(net, DAG.from_arcs(["b -> a"]))
    >>> second.table.round(3).tolist(), first.table.round(3).tolist()
    ([0.8, 0.2], [[0.625, 0.375], [0.0, 1.0]])
    """
    models = list(net.conditionals)
    for x, y, shared in _covered_arcs(net.graph.parents, graph.parents):
        first, second = models[x], models[y]
        positions = sum(node < x for node in shared), sum(node < y for node in shared)
        if isinstance(first, DiscreteConditional) and isinstance(second, DiscreteConditional):
            models[x], models[y] = _tables(first.table, second.table, *positions)
        elif isinstance(first, ConditionalGaussianModel) and isinstance(
            second, ConditionalGaussianModel
        ):
            models[x], models[y] = _turned_regressions(first, second, *positions)
        else:
            raise TypeError("An arc between a table and a regression cannot be reversed.")
    return tuple(models)


def _covered_arcs(parents_of: Rows, other: Rows) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield arcs (x, y) to reverse, each covered in its turn, with the parents that both share."""
    parents = [set(row) for row in parents_of]
    turned = sum(len(row - set(target)) for row, target in zip(parents, other, strict=True))
    for _ in range(turned):
        rows = tuple(tuple(sorted(row)) for row in parents)
        order = topological(rows, transpose(rows))
        rank = {node: i for i, node in enumerate(order)}
        y = next(node for node in order if parents[node] - set(other[node]))
        x = max(parents[y] - set(other[y]), key=rank.__getitem__)
        parents[y].discard(x)
        yield x, y, tuple(sorted(parents[y]))
        parents[x].add(y)


def _tables(
    first: Array, second: Array, at: int, to: int
) -> tuple[DiscreteConditional, DiscreteConditional]:
    """Return p(x | y, P) and p(y | P) from p(x | P) and p(y | x, P); x is parent `at` of y, y becomes `to` of
    x.

    If the parents are jointly impossible, x is uniform: no answer depends on it.
    """
    joint = np.moveaxis(second, at, -1) * first[..., None, :]  # P, y, x
    total = joint.sum(axis=-1)
    levels = joint.shape[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(total[..., None] > 0, joint / total[..., None], 1.0 / levels)
    shares /= shares.sum(axis=-1, keepdims=True)
    alone = total / total.sum(axis=-1, keepdims=True)
    return DiscreteConditional(np.moveaxis(shares, -2, to)), DiscreteConditional(alone)


def _turned_regressions(
    first: ConditionalGaussianModel, second: ConditionalGaussianModel, at: int, to: int
) -> tuple[ConditionalGaussianModel, ConditionalGaussianModel]:
    """Return reversed regressions, in each configuration of the discrete parents."""
    at_number, to_number = second.discrete[:at].count(False), first.discrete[:to].count(False)
    slope = second.slopes[..., at_number]
    rest = np.delete(second.slopes, at_number, axis=-1)
    variance = second.variances + slope**2 * first.variances
    intercept = second.intercepts + slope * first.intercepts
    slopes = rest + slope[..., None] * first.slopes
    gain = slope * first.variances / variance
    direct = first.slopes - gain[..., None] * slopes
    parts = (direct[..., :to_number], gain[..., None], direct[..., to_number:])
    alone = ConditionalGaussianModel(first.discrete, intercept, slopes, variance)
    conditional = ConditionalGaussianModel(
        (*first.discrete[:to], False, *first.discrete[to:]),
        first.intercepts - gain * intercept,
        np.concatenate(parts, axis=-1),
        first.variances * second.variances / variance,
    )
    return conditional, alone

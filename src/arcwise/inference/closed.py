"""Closed forms: answers of linear-Gaussian networks to single questions and whole tables, all exact.

Rows with gaps in the same places ask the same question with other numbers: the gain and the spread are
computed once for each pattern of gaps, and all its rows are answered together.
"""

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.base import EXACT, Answer, Cost, Engine, Found
from arcwise.inference.gaussian import (
    Evidence,
    centres,
    check_relations,
    linear_net,
    local,
    posterior,
    roots,
)
from arcwise.inference.normal import GaussianJoint, log_normal, narrow
from arcwise.inference.predictive import distributions, predictive, saturated_note
from arcwise.inference.questions import Columns, Question
from arcwise.inference.relevance import patterns, upward
from arcwise.networks import BayesNet, ancestral, log_density

Array = NDArray[np.float64]


class Closed(Engine):
    """Closed forms of linear-Gaussian networks, directed or with a joint normal distribution."""

    name = "gaussian"

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Any question to a network whose local models are all linear with normal noise."""
        if linear_net(question.net) is None:
            return FitError(
                "method='gaussian' needs linear-Gaussian local models: leave the method out."
            )
        return Cost(EXACT, float(len(question.net.names)) ** 2)

    def ask(self, question: Question) -> Found:
        """Distributions of the targets, and a joint normal one for a single question.

        Where parameters were fitted to rows, their uncertainty is included (see ``predictive``); the joint
        distribution has the same means, standard deviations and the plug-in correlations.
        """
        net, asked = _linear(question), question.asked
        mean, scale, freedom = np.empty((3, question.size, len(asked)))
        joint, saturated = None, set[int]()
        for places, known in patterns(question.gaps):
            evidence = _evidence(question, places, known)
            if question.single:
                check_relations(net, evidence)
            answer = predictive(net, asked, evidence)
            mean[places], scale[places], freedom[places] = answer[:3]
            saturated.update(answer.saturated)
            if question.single:
                names = tuple(net.names[node] for node in asked)
                root = narrow(answer.root) * answer.ratios[:, None]
                joint = GaussianJoint(names, answer.mean[0].copy(), root)
        found = (distributions(*each) for each in zip(mean.T, scale.T, freedom.T, strict=True))
        few = [net.names[node] for node in sorted(saturated)]
        notes = [saturated_note(few)] if few else []
        answers = tuple(Answer.exact(each, question.size) for each in found)
        return Found(answers, joint, lambda: notes)

    def logpdf(self, question: Question) -> Array:
        """Log density of what is known of each row, unknown variables integrated out."""
        with np.errstate(over="ignore", invalid="ignore"):  # what is too far out has no density
            return _log_densities(_linear(question), question)

    def complete(self, question: Question, draw: bool) -> Columns:
        """Expected values, or draws from the joint distribution of a row's gaps."""
        net, gaps, rng = _linear(question), question.gaps, question.rng
        if draw and gaps.all():
            return ancestral(net, rng, question.size).columns
        columns = [c.copy() if gaps[:, i].any() else c for i, c in enumerate(question.columns)]
        for places, known in patterns(gaps):
            hidden = np.flatnonzero(gaps[places[0]]).tolist() if len(places) else []
            if not hidden:
                continue
            filled, root = posterior(net, hidden, _evidence(question, places, known))
            if draw:
                root = narrow(root)
                filled = filled + rng.standard_normal((len(places), root.shape[1])) @ root.T
            for i, node in enumerate(hidden):
                columns[node][places] = filled[:, i]
        return tuple(columns)


def _linear(question: Question) -> BayesNet:
    net = linear_net(question.net)
    if net is None:
        raise FitError("Closed forms need linear-Gaussian local models.")
    return net


def _evidence(question: Question, places: NDArray[np.intp], known: set[int]) -> Evidence:
    """What is known of some rows of a question, which know the same variables."""
    return Evidence(known, lambda node: question.columns[node][places], len(places))


def residuals(net: BayesNet, table: Table) -> Array:
    """Errors of predicting each variable from all the others, in rows without gaps.

    With local errors e, noise variances v and weights w of arcs, the error of variable i is
    (e_i / v_i - sum over children c of w_ci e_c / v_c) / (1 / v_i + sum over c of w_ci^2 / v_c):
    the closed form of predictions for every variable at once.
    """
    models = [local(net, node) for node in range(len(net.names))]
    errors, weight = np.zeros((table.rows, len(models))), np.zeros(len(models))
    for node, (intercept, slopes, noise) in enumerate(models):
        parents = list(net.graph.parents[node])
        own = table.columns[node] - intercept
        for parent, slope in zip(parents, slopes, strict=True):
            own = own - slope * table.columns[parent]
        scaled = own / noise**2
        errors[:, node] += scaled
        errors[:, parents] -= np.outer(scaled, slopes)
        weight[node] += noise**-2
        weight[parents] += (slopes / noise) ** 2
    return errors / weight


def _log_densities(net: BayesNet, question: Question) -> Array:
    """Log densities; NaN where infinities met on the way."""
    columns, gaps = question.columns, question.gaps
    if not gaps.any():
        return log_density(net, columns)
    total = _local_sums(net, columns, gaps)
    for places, known in patterns(gaps):
        hidden = upward(net.graph, known, known)
        if hidden:
            total[places] += _block(net, hidden, _evidence(question, places, known))
    return total


def _local_sums(net: BayesNet, columns: Columns, gaps: NDArray[np.bool_]) -> Array:
    """Sum of the local log densities of nodes that are known together with all their parents."""
    total = np.zeros(len(gaps))
    for node, conditional in enumerate(net.conditionals):
        parents = net.graph.parents[node]
        xs = tuple(columns[parent] for parent in parents)
        unknown = gaps[:, [node, *parents]].any(axis=1)
        total += np.where(unknown, 0.0, conditional.logpdf(columns[node], xs))
    return total


def _block(net: BayesNet, hidden: set[int], evidence: Evidence) -> Array:
    """Log density of the known nodes that have hidden parents, given all other known values."""
    children = {child for node in hidden for child in net.graph.children[node]}
    below = children.intersection(evidence.known)
    nodes = [node for node in net.graph.order() if node in hidden or node in below]
    places = [i for i, node in enumerate(nodes) if node in below]
    mean, root = centres(net, nodes, hidden, evidence), roots(net, nodes, hidden)
    values = np.column_stack([evidence.value(nodes[i]) for i in places])
    return log_normal(values - mean[:, places], root[places])

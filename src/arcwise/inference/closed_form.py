r"""Closed-form inference in linear-Gaussian networks, for single queries and whole tables.

Rows with the same missing columns share gain and covariance, which are computed once for each pattern of
missing values.

Uncertain parameters widen the answers. The coefficients and the noise variance of a regression on n rows are
known up to their posterior under the prior 1 / variance: the variance is RSS / chi^2 with n - k degrees of
freedom, the coefficients are normal around least squares (Gelman et al. 2013, section 14.2). An answer has a
mean m and a variance V that depend on the parameters of all relevant nodes. With the residuals r_i of the
local models at expected values and C the covariances of all variables with the target given the evidence,

.. math:: a_i = C_i - \sum_j w_{ij} C_j, \quad V = \sum_i a_i^2 / v_i,

and the derivatives of m and log V by intercept, coefficients and log variance of node i are

.. math::
   \frac{a_i}{v_i}, \frac{a_i x_j + r_i C_j}{v_i}, \frac{a_i r_i}{v_i}; \qquad
   0, \frac{2 a_i C_j}{v_i V}, \frac{a_i^2}{v_i V}.

So the variances of m and log V are known to first order. Squares of estimated coefficients are larger than
the true ones on average, so the V of a variable with many observed children is too small. The
expected error of log V is half the sum of second derivatives times covariances; if V is too small it is
corrected. With L a root of the covariances given the evidence, e_i = L_i - sum_j w_ij L_j and S_i the
covariances of the coefficients,

.. math::
   \tfrac12 \operatorname{tr}(S_i V'') = \frac{1}{v_i} \Bigl[\Bigl(\frac{e_i e_i^T}{v_i} - 1\Bigr) C^T S_i C
   + \frac{2 a_i}{v_i} e_i L^T S_i C + \frac{a_i^2}{v_i} \operatorname{tr}(S_i L L^T)\Bigr],

and by log variance :math:`V'' = a_i^2 (2 e_i e_i^T / v_i - 1) / v_i`. The answer is Student's t distribution
around the plug-in mean: degrees of freedom and scale agree with mean and variance of log V (those of a
scaled inverse chi^2), and the variance of m is added. If all parents of the target are observed and no
descendant is, this is exact: n - k degrees of freedom and scale s sqrt(1 + leverage). The evidence itself is
not used to learn the parameters.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.conditionals import Linear
from arcwise.data import Table
from arcwise.data.variable import sentence_list
from arcwise.distributions import Distribution, Normal, Student
from arcwise.errors import ArcwiseError, FitError
from arcwise.inference.engine import EXACT, Answer, Columns, Cost, Engine, Question, Reply
from arcwise.inference.evidence import patterns, upward
from arcwise.inference.linear_gaussian import (
    ConditionedNodes,
    KnownRows,
    centres,
    check_relations,
    condition_on,
    linear_model,
    linear_net,
    posterior,
    refuse_infinite,
    roots,
)
from arcwise.inference.normal_joint import GaussianJoint, log_normal, narrow
from arcwise.networks import BayesNet, ancestral, log_density
from arcwise.notes import Note, answer_note, mention

Array = NDArray[np.float64]

MAX_FREEDOM = 1e12
"""Degrees of freedom at which a distribution counts as normal."""

_STEPS = 60


class Predictive(NamedTuple):
    """Predictive distributions for rows with the same observed variables.

    `mean` and `scale` are rows by targets, `freedom` has one number per target, `root` (targets by anything)
    is that of the plug-in distribution, which ignores the uncertainty of parameters; `saturated` are the
    relevant nodes with as many coefficients as rows, so that their uncertainty is unknown.
    """

    mean: Array
    scale: Array
    freedom: Array
    root: Array
    saturated: tuple[int, ...]

    @property
    def ratios(self) -> Array:
        """The standard deviations (if infinite, scales) over those of the plug-in distribution, in the
        first row.
        """
        sd = np.linalg.norm(self.root, axis=1)
        spare = self.freedom - 2.0
        wide = np.sqrt(np.divide(self.freedom, spare, out=np.ones(len(sd)), where=spare > 0))
        ratios: Array = np.divide(self.scale[0] * wide, sd, out=np.ones(len(sd)), where=sd > 0)
        return ratios


def predictive(net: BayesNet, targets: Sequence[int], evidence: KnownRows) -> Predictive:
    """Return distributions with the uncertainty of parameters; arguments as for `posterior`."""
    with np.errstate(over="ignore", invalid="ignore"):  # reported below
        part = condition_on(net, targets, evidence)
        positions = [part.place[node] for node in targets]
        mean, root = part.means(positions), part.left(positions)
        refuse_infinite(mean, root)
        scale, freedom = _widen(net, part, root, evidence)
    saturated = tuple(node for node in part.nodes if _is_saturated(linear_model(net, node)))
    return Predictive(mean, scale, freedom, root, saturated)


def _is_saturated(model: Linear) -> bool:
    return model.rows > 0 and not model.freedom > 0


def saturated_note(names: Sequence[str]) -> Note:
    """Return a note on variables with as many fitted coefficients as rows."""
    few = (
        "has as many coefficients as rows"
        if len(names) == 1
        else "have as many coefficients as rows"
    )
    text = (
        f"{sentence_list(names)} {few}: the interval ignores their uncertainty and is too "
        "narrow; use more rows or fewer parents."
    )
    return answer_note(text, tuple(names))


def distributions(mean: Array, scale: Array, freedom: Array) -> Distribution:
    """Return Student's distributions of one variable; normal ones without uncertainty."""
    if (freedom >= MAX_FREEDOM).all():
        return Normal(mean, scale)
    return Student(mean, scale, freedom)


class _Term(NamedTuple):
    """A local model, and its contribution to an answer.

    Parameters
    ----------
    model : the fitted model.
    shift, doubt : mean and variance of the logarithm of its noise variance, the mean over the plug-in one.
    own : a, one number per target.
    others : covariances of the parents with the targets (parents by targets).
    residual : of the model at the expected values, one number per row.
    xs : expected values of the parents minus their means in the data (parents by rows).
    left, beside : roots of the model's residual, and of the parents (parents by anything).
    """

    model: Linear
    shift: float
    doubt: float
    own: Array
    others: Array
    residual: Array
    xs: Array
    left: Array
    beside: Array

    def curvature(self, slopes: Array) -> Array:
        """Return half the sum of second derivatives of V by coefficients times their covariances."""
        noise, turned = self.model.variance, slopes @ self.others
        bent: Array = (self.left @ self.left / noise - 1.0) * (self.others * turned).sum(axis=0)
        bent += 2.0 * self.own / noise * (self.beside @ self.left @ turned)
        bent += self.own**2 / noise * np.einsum("ij,ik,jk->", slopes, self.beside, self.beside)
        bent /= noise
        return bent


class _Sums:
    """Moments of log variances (targets) and of means (rows by targets), summed over local models."""

    def __init__(self, rows: int, variance: Array) -> None:
        self.precision = np.divide(1.0, variance, out=np.zeros(len(variance)), where=variance > 0)
        self.shift, self.spread, self.bias = np.zeros((3, len(variance)))
        self.between = np.zeros((rows, len(variance)))

    def add(self, term: _Term) -> None:
        """Add a local model."""
        noise, slopes = term.model.variance, term.model.spread[1:, 1:]
        weight = term.own / noise
        share = term.own * weight * self.precision
        self.shift += share * term.shift
        bent = 2.0 * term.left @ term.left / noise - 1.0 - share
        self.bias += 0.5 * term.doubt * share * bent
        self.spread += share**2 * term.doubt
        level = noise / term.model.freedom + term.residual**2 * term.doubt
        self.between += weight**2 * level[:, None]
        if not len(term.xs):
            return
        turned = term.others * (2.0 * weight * self.precision)
        spread = (turned * (slopes @ turned)).sum(axis=0)
        self.spread += spread
        self.bias += term.curvature(slopes) * self.precision - 0.5 * spread
        slant = term.xs[:, :, None] * weight
        slant += term.residual[:, None] * (term.others / noise)[:, None, :]
        flat = slant.reshape(len(slopes), -1)
        self.between += (flat * (slopes @ flat)).sum(axis=0).reshape(self.between.shape)


def _widen(
    net: BayesNet, part: ConditionedNodes, root: Array, evidence: KnownRows
) -> tuple[Array, Array]:
    """Return scales (rows by targets) and degrees of freedom (targets)."""
    variance = (root**2).sum(axis=1)
    sums = _Sums(evidence.rows, variance)
    for term in _terms(net, part, root, evidence):
        sums.add(term)
    freedom = np.minimum(2.0 * _inverse_trigamma(sums.spread), MAX_FREEDOM)
    log_scale = sums.shift + np.maximum(0.0, -sums.bias) - _log_minus_psi(0.5 * freedom)
    square = variance * np.exp(np.where(sums.spread > 0, log_scale, 0.0)) + sums.between
    return np.where(variance > 0, np.sqrt(square), 0.0), freedom


def _terms(
    net: BayesNet, part: ConditionedNodes, root: Array, evidence: KnownRows
) -> Iterator[_Term]:
    """Yield the relevant local models that were fitted to rows."""
    from scipy.special import polygamma, psi

    models: list[tuple[int, int, Linear]] = []
    for position, node in enumerate(part.nodes):
        model = linear_model(net, node)
        if model.freedom > 0:
            models.append((position, node, model))
    if not models:
        return
    half = 0.5 * np.array([model.freedom for *_, model in models])
    doubts, shifts = polygamma(1, half), -psi(half)
    expected, covariance = (
        part.means(range(len(part.nodes))),
        part.root @ root.T,
    )
    covariance[part.seen] = 0.0

    whole = part.left(range(len(part.nodes)))

    def left(node: int) -> Array:
        rows: Array = whole[part.place[node]] if node in part.hidden else np.zeros(whole.shape[1])
        return rows

    def value(node: int) -> Array:
        return expected[:, part.place[node]] if node in part.hidden else evidence.value(node)

    for (position, node, model), doubt, shift in zip(models, doubts, shifts, strict=True):
        parents = net.graph.parents[node]
        others = np.zeros((len(parents), len(root)))
        for i, parent in enumerate(parents):
            if parent in part.hidden:
                others[i] = covariance[part.place[parent]]
        variance = covariance[position] - model.coefficients @ others
        if variance.any() or others.any():
            xs = np.array([value(j) for j in parents]).reshape(len(parents), evidence.rows)
            residual = value(node) - model.intercept - model.coefficients @ xs
            centred = xs - model.centre[:, None]
            level = float(np.log(0.5 * model.rows) + shift)
            beside = np.array([left(j) for j in parents]).reshape(len(parents), whole.shape[1])
            rest = left(node) - model.coefficients @ beside
            yield _Term(
                model, level, float(doubt), variance, others, residual, centred, rest, beside
            )


def _log_minus_psi(x: Array) -> Array:
    """Return log(x) - psi(x), without loss of digits for large x."""
    from scipy.special import psi

    far = 1.0 / (2.0 * x) + 1.0 / (12.0 * x**2)
    return np.where(x > 1e5, far, np.log(x) - psi(x))


def _inverse_trigamma(y: Array) -> Array:
    """Return the x with trigamma(x) = y, infinite for 0 (Newton steps; Minka 2000, appendix C).

    >>> _inverse_trigamma(np.array([np.pi**2 / 6, 0.0])).round(6).tolist()
    [1.0, inf]
    """
    from scipy.special import polygamma

    x = np.full(y.shape, np.inf)
    few = y > 1e-9
    x[(y > 0) & ~few] = 0.5 + 1.0 / y[(y > 0) & ~few]
    near, target = 0.5 + 1.0 / y[few], y[few]
    for _ in range(_STEPS):
        value = polygamma(1, near)
        step = value * (1.0 - value / target) / polygamma(2, near)
        near = near + step
        if not (np.abs(step) > 1e-13 * near).any():
            break
    x[few] = near
    return x


class ClosedForm(Engine):
    """Closed forms of linear-Gaussian networks, directed or with a joint normal distribution."""

    name = "gaussian"

    def accepts(self, question: Question) -> Cost | ArcwiseError:
        """Accept queries to networks whose local models are all linear with normal noise."""
        if linear_net(question.net) is None:
            return FitError(
                "{method=} needs linear-Gaussian local models: leave the method out.",
                fixes=[mention("method", "gaussian")],
            )
        return Cost(EXACT, float(len(question.net.names)) ** 2)

    def ask(self, question: Question) -> Reply:
        """Return the distributions of the targets, and a joint normal one for a single query.

        If parameters were fitted to rows, their uncertainty is included (see ``predictive``); the joint
        distribution has the same means, standard deviations and the plug-in correlations.
        """
        net, targets = _linear(question), question.asked
        mean, scale, freedom = np.empty((3, question.size, len(targets)))
        joint, saturated = None, set[int]()
        for places, observed in patterns(question.gaps):
            evidence = _evidence(question, places, observed)
            if question.single:
                check_relations(net, evidence)
            answer = predictive(net, targets, evidence)
            mean[places], scale[places], freedom[places] = answer[:3]
            saturated.update(answer.saturated)
            if question.single:
                names = tuple(net.names[node] for node in targets)
                root = narrow(answer.root) * answer.ratios[:, None]
                joint = GaussianJoint(names, answer.mean[0].copy(), root)
        shapes = (
            distributions(*marginal) for marginal in zip(mean.T, scale.T, freedom.T, strict=True)
        )
        few = [net.names[node] for node in sorted(saturated)]
        notes = [saturated_note(few)] if few else []
        answers = tuple(Answer.exact(marginal, question.size) for marginal in shapes)
        return Reply(answers, joint, lambda: notes)

    def logpdf(self, question: Question) -> Array:
        """Return the log density of the observed values of each row, with missing values integrated out."""
        with np.errstate(over="ignore", invalid="ignore"):  # what is too far out has no density
            return _log_densities(_linear(question), question)

    def complete(self, question: Question, draw: bool) -> Columns:
        """Return expected values, or joint draws of the missing values of each row."""
        net, gaps, rng = _linear(question), question.gaps, question.rng
        if draw and gaps.all():
            return ancestral(net, rng, question.size).columns
        columns = [c.copy() if gaps[:, i].any() else c for i, c in enumerate(question.columns)]
        for places, observed in patterns(gaps):
            hidden = np.flatnonzero(gaps[places[0]]).tolist() if len(places) else []
            if not hidden:
                continue
            filled, root = posterior(net, hidden, _evidence(question, places, observed))
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


def _evidence(question: Question, places: NDArray[np.intp], observed: set[int]) -> KnownRows:
    """Return the evidence of some rows of a query with the same observed variables."""
    return KnownRows(observed, lambda node: question.columns[node][places], len(places))


def residuals(net: BayesNet, table: Table) -> Array:
    """Return the errors of predicting each variable from all the others, in rows without missing values.

    With local errors e, noise variances v and weights w of arcs, the error of variable i is
    (e_i / v_i - sum over children c of w_ci e_c / v_c) / (1 / v_i + sum over c of w_ci^2 / v_c):
    the closed form of predictions for every variable at once.
    """
    models = [linear_model(net, node) for node in range(len(net.names))]
    errors, weight = np.zeros((table.rows, len(models))), np.zeros(len(models))
    for node, model in enumerate(models):
        parents, slopes, noise = list(net.graph.parents[node]), model.coefficients, model.sd
        column = table.columns[node] - model.intercept
        for parent, slope in zip(parents, slopes, strict=True):
            column = column - slope * table.columns[parent]
        scaled = column / noise**2
        errors[:, node] += scaled
        errors[:, parents] -= np.outer(scaled, slopes)
        weight[node] += noise**-2
        weight[parents] += (slopes / noise) ** 2
    return errors / weight


def _log_densities(net: BayesNet, question: Question) -> Array:
    """Return log densities; NaN if infinities occurred."""
    columns, gaps = question.columns, question.gaps
    if not gaps.any():
        return log_density(net, columns)
    total = _local_sums(net, columns, gaps)
    for places, observed in patterns(gaps):
        hidden = upward(net.graph, observed, observed)
        if hidden:
            total[places] += _block(net, hidden, _evidence(question, places, observed))
    return total


def _local_sums(net: BayesNet, columns: Columns, gaps: NDArray[np.bool_]) -> Array:
    """Return the sum of local log densities of nodes that are observed with all their parents."""
    total = np.zeros(len(gaps))
    for node, conditional in enumerate(net.conditionals):
        parents = net.graph.parents[node]
        xs = tuple(columns[parent] for parent in parents)
        unknown = gaps[:, [node, *parents]].any(axis=1)
        total += np.where(unknown, 0.0, conditional.logpdf(columns[node], xs))
    return total


def _block(net: BayesNet, hidden: set[int], evidence: KnownRows) -> Array:
    """Return the log density of observed nodes with hidden parents, given all other observed values."""
    children = {child for node in hidden for child in net.graph.children[node]}
    below = children.intersection(evidence.known)
    nodes = [node for node in net.graph.order() if node in hidden or node in below]
    positions = [i for i, node in enumerate(nodes) if node in below]
    mean, root = centres(net, nodes, hidden, evidence), roots(net, nodes, hidden)
    values = np.column_stack([evidence.value(nodes[i]) for i in positions])
    return log_normal(values - mean[:, positions], root[positions])

r"""Conflict and impact of findings: contradictions in the evidence, and the findings behind an answer.

The *conflict* of evidence e = (e_1, ..., e_m) is

.. math:: conf(e) = \log \frac{p(e_1) \cdots p(e_m)}{p(e)}

in nats (Jensen, Chamberlain, Nordahl and Jensen 1991). It is negative if the findings support each other. It
is positive if they are rarer together than if they were independent: an unusual case, an error in the data,
or a case outside the network. For numbers p is a density.

The *impact* of a finding on a target is the divergence D(p(t | e) || p(t | e without it)) of the answers with
and without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Table
from arcwise.distributions import Distribution
from arcwise.errors import DataError, FitError
from arcwise.frame import Frame, Framed, Series
from arcwise.inference import AskOptions, Belief, marginal_log_density, query
from arcwise.inference.evidence import plain, read_evidence, show_value
from arcwise.networks import Net
from arcwise.notes import mention

Array = NDArray[np.float64]


class FindingConflict(NamedTuple):
    """A finding, its log probability, and its conflict with all the others together, in nats."""

    name: str
    value: Any
    log_probability: float
    conflict: float


@dataclass(frozen=True)
class Conflict(Framed):
    """The conflict of evidence.

    Parameters
    ----------
    nats : log of the product of the findings' probabilities over that of all; above 0 they conflict.
    log_probability : log probability of the evidence, of numbers the density.
    findings : each against the rest, the largest conflict first.
    """

    nats: float
    log_probability: float
    findings: tuple[FindingConflict, ...]

    def __float__(self) -> float:
        return self.nats

    @property
    def frame(self) -> Frame:
        """Return one row per finding, the largest conflict with the others first."""
        columns = zip(*self.findings, strict=True) if self.findings else ((), (), (), ())
        names, values, logs, conflicts = columns
        return Frame(
            (
                Series("finding", names),
                Series("value", [show_value(value) for value in values]),
                Series("log_probability", logs, ".4f", head="log probability"),
                Series("conflict", conflicts, ".4g", head="conflict with the rest"),
            ),
            self._summary(),
        )

    def _summary(self) -> str:
        word = "the findings conflict" if self.nats > 0 else "the findings agree"
        if abs(self.nats) < 1e-12:
            word = "the findings are independent"
        return f"conflict {self.nats:.4g} nats: {word}"

    @property
    def brief(self) -> Frame:
        """Return one line per finding."""
        findings = [f"{finding.name} = {show_value(finding.value)}" for finding in self.findings]
        conflicts = [f"{finding.conflict:+.4g} against the rest" for finding in self.findings]
        columns = Series("finding", findings), Series("conflict", conflicts)
        return Frame(columns, self._summary(), headed=False)


class FindingImpact(NamedTuple):
    """A finding, its impact (nats), and the answer without it."""

    name: str
    value: Any
    nats: float
    without: Belief


@dataclass(frozen=True)
class Impact(Framed):
    """The impact of findings on a target.

    Parameters
    ----------
    belief : the answer with all of the evidence.
    prior : the answer with none of it.
    findings : the largest impact first.
    """

    belief: Belief
    prior: Belief
    findings: tuple[FindingImpact, ...]

    @property
    def frame(self) -> Frame:
        """Return one row per finding, the largest impact first, and the answer without it."""
        rows = self.findings
        return Frame(
            (
                Series("without", [finding.name for finding in rows]),
                Series("value", [show_value(finding.value) for finding in rows]),
                Series("nats", [finding.nats for finding in rows], ".4g", head="nats away"),
                Series("answer", [_short(finding.without) for finding in rows]),
            ),
            str(self.belief),
        )

    @property
    def brief(self) -> Frame:
        """Return one line per finding, below the answer with all of them."""
        lines = [
            f"without {finding.name} = {show_value(finding.value)}: {_short(finding.without)} "
            f"({finding.nats:.4g} nats away)"
            for finding in self.findings
        ]
        return Frame((Series("findings", lines),), str(self.belief), headed=False)


def conflict(net: Net, given: Mapping[str, Any], **options: Unpack[AskOptions]) -> Conflict:
    """Return the conflict of findings, in all and for each.

    Parameters
    ----------
    net : a network with a joint distribution.
    given : values by name; raw ones, too, where levels were made from them.
    options : of simulations, where the network has no closed form.

    Raises
    ------
    DataError : no evidence, unknown names or values.
    FitError : a finding that is impossible separately.
    """
    evidence = _read_findings(net, given)
    nodes = sorted(evidence)
    rest = [[v for v in nodes if v != node] for node in nodes]
    parts = [nodes, *([v] for v in nodes), *rest]
    logs = marginal_log_density(net, _rows(net, evidence, parts), **options)
    whole, singles, others = logs[0], logs[1 : len(nodes) + 1], logs[len(nodes) + 1 :]
    for node, log in zip(nodes, singles, strict=True):
        if np.isneginf(log):
            (name, value), *_ = plain(net, {node: evidence[node]}).items()
            raise FitError(f"{name} = {value} is impossible: it has probability zero.")
    values = plain(net, evidence)
    findings = [
        FindingConflict(name, values[name], float(log), float(log + left - whole))
        for name, log, left in zip((net.names[v] for v in nodes), singles, others, strict=True)
    ]
    findings.sort(key=lambda finding: -finding.conflict)
    nats = 0.0 if len(nodes) == 1 else float(singles.sum() - whole)
    return Conflict(nats, float(whole), tuple(findings))


def impact(
    net: Net, target: str, given: Mapping[str, Any], **options: Unpack[AskOptions]
) -> Impact:
    """Return the impact of each finding on an answer.

    Parameters
    ----------
    net : any network.
    target : the variable requested.
    given : values by name.
    options : of simulations, where the network has no closed form.

    Raises
    ------
    DataError : no evidence, unknown names or values, a target that is known.
    FitError : evidence that is impossible.
    """
    evidence = _read_findings(net, given)
    nodes = sorted(evidence)
    sets = [nodes, [], *([v for v in nodes if v != node] for node in nodes)]
    beliefs = _beliefs(net, target, evidence, sets, options)
    values = plain(net, evidence)
    findings = [
        FindingImpact(
            name, values[name], _divergence(beliefs[0].distribution, without.distribution), without
        )
        for name, without in zip((net.names[v] for v in nodes), beliefs[2:], strict=True)
    ]
    findings.sort(key=lambda finding: -finding.nats)
    return Impact(beliefs[0], beliefs[1], tuple(findings))


def _read_findings(net: Net, given: Mapping[str, Any]) -> Mapping[int, float]:
    evidence = read_evidence(net, given)
    if evidence.soft or evidence.ranges:
        raise DataError(
            "The evidence of a conflict or an impact must be levels and numbers, got "
            "sets, weights or intervals."
        )
    if not evidence.seen:
        raise DataError(
            "Evidence is required: give values by name, as in {given=}.",
            fixes=[mention("given", {"x": 1.5})],
        )
    return evidence.seen


def _rows(net: Net, evidence: Mapping[int, float], sets: list[list[int]]) -> Table:
    """Return a row for each part of the evidence, all else missing values."""
    columns = [
        np.array([evidence[node] if node in part else v.gap for part in sets]).astype(v.dtype)
        for node, v in enumerate(net.variables)
    ]
    return Table(net.variables, tuple(columns))


def _beliefs(
    net: Net,
    target: str,
    evidence: Mapping[int, float],
    sets: list[list[int]],
    options: Mapping[str, Any],
) -> list[Belief]:
    """Return the answers to parts of the evidence."""
    parts = [plain(net, {node: evidence[node] for node in part}) for part in sets]
    answers = [query(net, target, part, **options) for part in parts]
    return [answer for answer in answers if isinstance(answer, Belief)]


POINTS = 2000


def _divergence(one: Distribution, two: Distribution) -> float:
    """Return the divergence of one distribution from another, both of one row.

    That of Student's distributions is the divergence of normal ones with the same means and scales.
    """
    if one.categorical is not None and two.categorical is not None:
        p, q = one.categorical.probabilities[0], two.categorical.probabilities[0]
        with np.errstate(divide="ignore"):
            return max(float((p[p > 0] * np.log(p[p > 0] / q[p > 0])).sum()), 0.0)
    if one.bell is not None and two.bell is not None:
        (m, s), (n, t) = ([float(each[0]) for each in bell] for bell in (one.bell, two.bell))
        if s > 0 and t > 0:
            return float(np.log(t / s) + (s**2 + (m - n) ** 2) / (2 * t**2) - 0.5)
        return 0.0 if (m, s) == (n, t) else np.inf
    points = one.quantile((np.arange(POINTS) + 0.5) / POINTS)
    return max(float((one.logpdf(points) - two.logpdf(points)).mean()), 0.0)


def _short(belief: Belief) -> str:
    """Return an answer in a few words."""
    if not belief.levels:
        return f"mean {belief.mean:.4g}, sd {belief.sd:.4g}"
    return ", ".join(f"{level} {share:.4g}" for level, share in belief.probabilities.items())

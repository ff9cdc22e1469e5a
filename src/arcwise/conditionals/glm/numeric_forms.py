"""Forms of regressions of a number."""

from itertools import accumulate

import numpy as np

from arcwise.conditionals.base import Array
from arcwise.conditionals.glm.design import MOST, Design
from arcwise.conditionals.glm.form_choice import FittedForm, best_form, feasible
from arcwise.conditionals.glm.further_terms import (
    DesignTerm,
    column_of,
    described_rows,
    further_terms,
    rows_of,
)
from arcwise.conditionals.glm.least_squares import diagonal_blocks, gains, solve, submatrix
from arcwise.conditionals.glm.spread_forms import fit_spread

__all__ = ["FLOOR", "fit_number"]

FLOOR = Design.least_variance

_LOG_2PI = float(np.log(2 * np.pi))
_EACH = 3  # rows for each coefficient of a configuration
_TERMS = 4  # terms that are added at most


def fit_number(design: Design, child: int, parents: tuple[int, ...], margin: float) -> FittedForm:
    """The best form of a number's model given its parents."""
    plain = _plain(design, child, parents)
    forms = [plain]
    if plain.form != "marginal" and parents:
        forms += filter(None, [_by_configuration(design, child, parents, plain, margin)])
        forms += filter(None, [_select_terms(design, child, parents, plain, margin)])
        single = [form for form in forms if not form.by]
        forms += filter(None, (fit_spread(design, child, parents, f, margin) for f in single))
    return best_form(forms, design)


def _loglik(design: Design, child: int, rss: float, rows: float) -> tuple[float, float]:
    """The log-likelihood of rows, and the variance on the scale of the standardised child."""
    share = max(rss, 0.0) / rows
    variance = max(share, FLOOR)
    log = _LOG_2PI + np.log(variance) + share / variance + 2 * np.log(design.scales[child])
    return -0.5 * rows * float(log), variance


def _plain(design: Design, child: int, parents: tuple[int, ...]) -> FittedForm:
    """Main effects, or none if these have too many parameters."""
    members = [0, *(c for j in parents for c in design.main(j))]
    form = "additive"
    if len(members) > 1 and not feasible(len(members) + 1, design):
        members, form = [0], "marginal"
    target, products = design.number(child), design.products
    gram = submatrix(products, members, members)
    right = products[members, target]
    found = solve(gram, right)
    rss = float(products[target, target] - right[found.kept] @ found.coefficients)
    loglik, variance = _loglik(design, child, rss, design.total)
    coefficients = np.zeros((1, len(members), 1))
    coefficients[0, found.kept, 0] = found.coefficients
    described = tuple(column_of(design, c) for c in members)
    return FittedForm(
        form, loglik, len(found.kept) + 1, 0.0, described, coefficients, np.array([variance])
    )


def _by_configuration(
    design: Design, child: int, parents: tuple[int, ...], plain: FittedForm, margin: float
) -> FittedForm | None:
    """A regression with a variance of its own for each configuration of the categories."""
    by = tuple(j for j in parents if design.levels[j] and design.groups[j].max(initial=0))
    known = design.configurations(by)
    inputs = tuple(j for j in parents if not design.levels[j])
    if not by or known.total > MOST:
        return None
    seen = np.flatnonzero(known.weights)
    size = len(inputs) + 1
    if known.weights[seen].min() <= _EACH * (size + 1) or not feasible(
        len(seen) * (size + 1), design
    ):
        return None
    place = {j: k + 1 for k, j in enumerate(design.numbers)}
    members = [0, *(place[j] for j in inputs)]
    sums, target = design.by_configuration(by), place[child]
    rank = loglik = 0.0
    pooled = _plain(design, child, inputs)
    if pooled.coefficients.shape[1] != size:
        return None
    coefficients = np.tile(pooled.coefficients, (known.total, 1, 1))
    variances = np.full(known.total, pooled.variances[0])
    for k in seen.tolist():
        gram, right = submatrix(sums[k], members, members), sums[k][members, target]
        found = solve(gram, right)
        rss = float(sums[k][target, target] - right[found.kept] @ found.coefficients)
        value, variances[k] = _loglik(design, child, rss, float(known.weights[k]))
        loglik, rank = loglik + value, rank + len(found.kept) + 1
        coefficients[k] = 0.0
        coefficients[k, found.kept, 0] = found.coefficients
    described = tuple(column_of(design, c) for c in (0, *(design.number(j) for j in inputs)))
    charge = margin + float(np.log(3))
    form = FittedForm(
        "configurations", loglik, int(rank), charge, described, coefficients, variances, by
    )
    log_rows = float(np.log(max(design.total, 2.0)))
    if not form.value(log_rows) > plain.value(log_rows):
        return form
    return form._replace(choice=charge + _tail_charge(design, child, form))


def _tail_charge(design: Design, child: int, form: FittedForm) -> float:
    """Nats of separate variances that heavy tails gain by themselves.

    The log-likelihood ratio of separate variances is a chi-squared variable times size / 2, if `size` is the
    variance of the squared residuals in units of their mean: 2 for normal noise (Koenker 1981).
    """
    known = design.configurations(form.by)
    shares = known.weights / design.total
    common = float(shares @ form.variances)
    gain = 0.5 * design.total * float(np.log(common) - shares @ np.log(form.variances))
    x = described_rows(design, form.columns)
    fitted = (form.coefficients[known.places, :, 0] * x.T).sum(axis=1)
    rest = design.columns[design.number(child)] - fitted
    ratio = rest**2 / form.variances[known.places] - 1.0
    size = float(design.weights @ ratio**2) / design.total
    return max(gain, 0.0) * (1.0 - 2.0 / max(size, 2.0))


def _select_terms(
    design: Design, child: int, parents: tuple[int, ...], plain: FittedForm, margin: float
) -> FittedForm | None:
    """Main effects with curves and products, added one by one as long as BIC gains."""
    terms = further_terms(design, parents)
    if not terms:
        return None
    members = [0, *(c for j in parents for c in design.main(j))]
    target, products = design.number(child), design.products
    gram, right = submatrix(products, members, members), products[members, target]
    found = solve(gram, right)
    kept = [members[k] for k in found.kept]
    rss = float(products[target, target] - right[found.kept] @ found.coefficients)
    crosses, owns = _crosses(design, terms)
    ends = list(accumulate(len(term.columns) for term in terms))
    cross = np.vstack(crosses)
    slopes = cross[:, target] - cross[:, kept] @ found.coefficients
    better = gains(found.factor, cross[:, kept], owns, slopes, ends)
    price = float(np.log(len(terms)))
    first = _choose(better, rss, plain.parameters, price, design)
    if first is None:
        return None
    return _extend_terms(design, child, plain, kept, terms, first, margin)


def _crosses(design: Design, terms: list[DesignTerm]) -> tuple[list[Array], list[Array]]:
    """The products of each term with all single columns, and with itself."""
    width = len(design.columns)
    crosses, owns = [], []
    for term in terms:
        if term.pair is None:
            numbers = list(term.numbers)
            crosses.append(design.products[numbers])
            owns.append(submatrix(design.products, numbers, numbers))
        else:
            both = design.cross(*term.pair)
            crosses.append(both[:, :width])
            owns.append(both[:, width:])
    return crosses, owns


def _choose(
    better: list[tuple[float, int]], rss: float, parameters: int, price: float, design: Design
) -> int | None:
    """The term of largest gain in BIC, if it is worth its price."""
    n, log_rows = design.total, float(np.log(max(design.total, 2.0)))
    least = FLOOR * n
    before = max(rss, least)
    values = [
        0.5 * n * float(np.log(before / max(rss - gain, least))) - 0.5 * rank * log_rows
        if rank and feasible(parameters + rank, design)
        else -np.inf
        for gain, rank in better
    ]
    best = int(np.argmax(values))
    return best if values[best] > price else None


def _extend_terms(
    design: Design,
    child: int,
    plain: FittedForm,
    kept: list[int],
    terms: list[DesignTerm],
    first: int,
    margin: float,
) -> FittedForm:
    """The terms after the first one, from the rows."""
    rows = np.vstack([design.columns[kept], *(rows_of(design, term) for term in terms)])
    weighted = rows * design.weights
    gram, right = weighted @ rows.T, weighted @ design.columns[design.number(child)]
    total = float(design.products[design.number(child), design.number(child)])
    blocks, low = [], len(kept)
    for term in terms:
        blocks.append(list(range(low, low + len(term.columns))))
        low += len(term.columns)
    members, chosen, choice = (
        [*range(len(kept)), *blocks[first]],
        [first],
        float(np.log(len(terms))),
    )
    while True:
        found = solve(submatrix(gram, members, members), right[members])
        used = [members[k] for k in found.kept]
        rss = total - float(right[used] @ found.coefficients)
        left = [t for t in range(len(terms)) if not set(blocks[t]) <= set(members)]
        if not left or len(chosen) == _TERMS:
            break
        wanted = [[c for c in blocks[t] if c not in members] for t in left]
        flat = [c for block in wanted for c in block]
        slopes = right[flat] - submatrix(gram, flat, used) @ found.coefficients
        ends = list(accumulate(len(block) for block in wanted))
        owns = diagonal_blocks(submatrix(gram, flat, flat), ends)
        better = gains(found.factor, submatrix(gram, flat, used), owns, slopes, ends)
        price = float(np.log(len(left)))
        best = _choose(better, rss, len(used) + 1, price, design)
        if best is None:
            break
        choice += price
        chosen.append(left[best])
        members += wanted[best]
    loglik, variance = _loglik(design, child, rss, design.total)
    names = [column_of(design, c) for c in kept] + [c for term in terms for c in term.columns]
    coefficients = found.coefficients[None, :, None]
    described = tuple(names[c] for c in used)
    return FittedForm(
        "selected",
        loglik,
        len(used) + 1,
        choice + margin,
        described,
        coefficients,
        np.array([variance]),
    )

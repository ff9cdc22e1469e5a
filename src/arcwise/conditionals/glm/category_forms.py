"""Forms of models of a category: tables, and multinomial logits."""

import numpy as np
from numpy.typing import NDArray

from arcwise._kernels.lapack import dpotrf
from arcwise.conditionals.base import Array
from arcwise.conditionals.glm.design import INTERCEPT, MOST, Design, DesignColumn
from arcwise.conditionals.glm.form_choice import FittedForm, best_form, feasible
from arcwise.conditionals.glm.further_terms import column_of, further_terms, rows_of
from arcwise.conditionals.glm.least_squares import gains, independent
from arcwise.conditionals.glm.multinomial_logit import PSEUDO, Logit, information, newton, shares

__all__ = ["fit_category", "table_logs"]

_TERMS = 3  # terms that are added at most
_WORK = 1e9  # multiplications of a Newton step, about a second: a logit of more work is not fitted


def fit_category(design: Design, child: int, parents: tuple[int, ...], margin: float) -> FittedForm:
    """The best form of a category's model given its parents."""
    none = _table(design, child, ())
    if not parents or none.parameters == 0:
        return none
    forms: list[FittedForm] = []
    if all(design.levels[j] for j in parents):
        known = design.configurations(parents)
        if known.total <= MOST:
            forms += [_table(design, child, parents)]
            forms = [form for form in forms if feasible(form.parameters, design)]
        if len(parents) == 1 and forms:
            return forms[0]
    forms += _Logits(design, child, parents).forms(none, margin)
    return best_form(forms, design) if forms else none


def _counts(design: Design, child: int, parents: tuple[int, ...]) -> Array:
    """(configurations, levels) weights of the rows."""
    known, levels = design.configurations(parents), design.levels[child]
    places = known.places * levels + design.table.columns[child]
    total = known.total if parents else 1
    counts = np.bincount(places, design.weights, total * levels)
    return counts.reshape(total, levels).astype(float)


def _table(design: Design, child: int, parents: tuple[int, ...]) -> FittedForm:
    """The shares of levels in each configuration, with an imaginary row spread over all of them."""
    counts = _counts(design, child, parents)
    logs = table_logs(counts)
    loglik, seen = float(np.vdot(counts, logs)), int((counts.sum(axis=1) > 0).sum())
    free = int((counts.sum(axis=0) > 0).sum()) - 1
    form, by = ("table", parents) if parents else ("marginal", ())
    parameters = min(len(counts), 2 * seen) * max(free, 0)
    return FittedForm(
        form, loglik, parameters, 0.0, (INTERCEPT,), logs[:, None, :], np.zeros(0), by
    )


def table_logs(counts: Array) -> Array:
    """Log probabilities of levels in each configuration, by (configurations, levels) counts."""
    usual, each = shares(counts.sum(axis=0)), PSEUDO / len(counts)
    rows = counts.sum(axis=1, keepdims=True)
    found: Array = np.log((counts + each * usual) / (rows + each))
    return found


class _Logits:
    """Logits of one category: the rows with what they count, put together where parents are categories."""

    def __init__(self, design: Design, child: int, parents: tuple[int, ...]) -> None:
        self.design, self.child, self.parents = design, child, parents
        counts, self.places = self._targets()
        usual = shares(counts.sum(axis=1))
        share = PSEUDO / (design.total + PSEUDO)
        self.counts = counts
        self.targets = (1 - share) * counts + share * usual[:, None] * counts.sum(axis=0)
        self.free = int((counts.sum(axis=1) > 0).sum()) - 1

    def _targets(self) -> tuple[Array, slice | NDArray[np.intp]]:
        """(levels, rows) counts, and the rows of the table that they are of."""
        design, child = self.design, self.child
        if all(design.levels[j] for j in self.parents):
            known = design.configurations(self.parents)
            if known.total <= MOST:
                counts = _counts(design, child, self.parents)
                seen = np.flatnonzero(counts.sum(axis=1))
                first = np.zeros(known.total, dtype=np.intp)
                first[known.places[::-1]] = np.arange(design.size)[::-1]
                return np.ascontiguousarray(counts[seen].T), first[seen]
        found = np.zeros((design.levels[child], design.size))
        found[design.table.columns[child], np.arange(design.size)] = design.weights
        rows = np.flatnonzero(design.weights > 0)
        return (found, slice(None)) if len(rows) == design.size else (found[:, rows], rows)

    def forms(self, none: FittedForm, margin: float) -> list[FittedForm]:
        """Main effects, and these with curves or products."""
        design = self.design
        numbers = [0, *(c for j in self.parents for c in design.main(j))]
        kept = independent(design.products[np.ix_(numbers, numbers)])
        members = [numbers[k] for k in kept.tolist()]
        size = len(members) * self.free
        hopeless = 0.5 * float(np.log(max(design.total, 2.0))) * (size - self.free)
        work = self.counts.shape[1] * size**2 / 2 + size**3 / 3
        if not feasible(size, design) or hopeless > -none.loglik or work > _WORK:
            return []
        columns = design.columns[members][:, self.places]
        plain = newton(columns, self.targets)
        described = [column_of(design, c) for c in members]
        form = self._fitted("additive", plain, described, 0.0)
        return [form, *self._selected(columns, described, plain, form, margin)]

    def _fitted(
        self, form: str, found: Logit, described: list[DesignColumn], choice: float
    ) -> FittedForm:
        loglik = float(np.vdot(self.counts, found.logs))
        size = len(described) * self.free
        coefficients = found.coefficients[None]
        return FittedForm(form, loglik, size, choice, tuple(described), coefficients, np.zeros(0))

    def _selected(
        self,
        columns: Array,
        described: list[DesignColumn],
        plain: Logit,
        form: FittedForm,
        margin: float,
    ) -> list[FittedForm]:
        """Terms added one by one, those that a score test promises most of, as long as BIC gains."""
        terms = further_terms(self.design, self.parents)
        log_rows, choice, best = float(np.log(max(self.design.total, 2.0))), 0.0, form
        current = plain
        for _ in range(_TERMS):
            terms = [t for t in terms if not set(t.columns) <= set(described)]
            if not terms:
                break
            price = float(np.log(len(terms)))
            blocks = [rows_of(self.design, t)[:, self.places] for t in terms]
            promised = [
                0.5 * gain - 0.5 * log_rows * rank
                if rank and feasible(form.parameters + rank, self.design)
                else -np.inf
                for gain, rank in self._score_tests(columns, blocks, current)
            ]
            chosen = int(np.argmax(promised))
            if not promised[chosen] > price:
                break
            wide = np.vstack([columns, blocks[chosen]])
            weighted = wide * self.counts.sum(axis=0)
            kept = independent(weighted @ wide.T)
            columns = np.ascontiguousarray(wide[kept])
            described = [[*described, *terms[chosen].columns][k] for k in kept.tolist()]
            start = np.zeros((len(kept), len(self.targets)))
            start[: len(current.coefficients)] = current.coefficients
            current = newton(columns, self.targets, start)
            choice += price
            trial = self._fitted("selected", current, described, choice + margin)
            if not trial.value(log_rows) > best.value(log_rows) - (best is form) * margin:
                break
            best = trial
        return [best] if best is not form else []

    def _score_tests(
        self, columns: Array, blocks: list[Array], current: Logit
    ) -> list[tuple[float, int]]:
        """Twice what each block would add to the log-likelihood, by its slope at 0, and its parameters."""
        last, d = len(self.targets) - 1, len(columns)
        wide = np.vstack([columns, *blocks])
        rows = self.targets.sum(axis=0)
        fitted = np.exp(current.logs) * rows
        slopes = (self.targets - fitted)[:last] @ wide.T
        parts = information(wide, fitted, rows).reshape(last, len(wide), last, len(wide))
        curve = parts.transpose(1, 0, 3, 2).reshape(len(wide) * last, len(wide) * last)
        base = d * last
        factor, info = dpotrf(curve[:base, :base])
        if info:
            return [(0.0, 0)] * len(blocks)
        ends = (np.cumsum([len(block) for block in blocks]) * last).tolist()
        firsts = [0, *ends[:-1]]
        owns = [
            curve[base + low : base + high, base + low : base + high]
            for low, high in zip(firsts, ends, strict=True)
        ]
        flat = slopes.T.ravel()[base:]
        return gains(factor, curve[base:, :base], owns, flat, ends)

"""The best form of a local model, by the BIC of each and what choosing among them costs."""

from typing import NamedTuple

import numpy as np

from arcwise.conditionals.base import Array
from arcwise.conditionals.glm.design import Design, DesignColumn

__all__ = ["FittedForm", "best_form", "feasible"]


class FittedForm(NamedTuple):
    """A fitted form.

    `choice` are the nats that choosing it among others costs. Coefficients and variances are those of the
    standardised child, (configurations, columns, outputs) and (configurations,). `noise_slopes` are what
    `noise_columns` add to the log variance, and `noise_range` its extremes in the rows. `lead` are the nats
    by which the value exceeds that of the best form of another kind, the `runner_up`.
    """

    form: str
    loglik: float
    parameters: int
    choice: float
    columns: tuple[DesignColumn, ...]
    coefficients: Array
    variances: Array
    by: tuple[int, ...] = ()
    noise_columns: tuple[DesignColumn, ...] = ()
    noise_slopes: Array = np.zeros(0)
    noise_range: Array = np.zeros(0)
    runner_up: str = ""
    lead: float = 0.0

    def value(self, log_rows: float) -> float:
        """Log-likelihood minus charges."""
        return self.loglik - 0.5 * log_rows * self.parameters - self.choice


def feasible(parameters: int, design: Design) -> bool:
    """Whether a form has at most one parameter for two rows."""
    return 2 * parameters <= design.total


def best_form(forms: list[FittedForm], design: Design) -> FittedForm:
    """The form of largest BIC."""
    log_rows = float(np.log(max(design.total, 2.0)))
    best = max(forms, key=lambda form: form.value(log_rows))
    others = [form for form in forms if form.form != best.form]
    if not others:
        return best
    other = max(others, key=lambda form: form.value(log_rows))
    return best._replace(runner_up=other.form, lead=best.value(log_rows) - other.value(log_rows))

"""Pruning: one target predicted from fewer and fewer inputs (Hofmann and Tresp 1995, fig. 1).

Starting from all other variables, the input whose loss costs least is taken away, the model is tuned
again, and so on until none is left. The score against the number of inputs tells how many matter; a
predictive score rises as long as inputs only disturb.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from arcwise.conditionals import Fits
from arcwise.data import Table
from arcwise.results import Interrupted, Trail, Watch
from arcwise.scores import Score


class Stage(NamedTuple):
    """A model on the way: what it takes, what was taken away to get there, how good it is.

    `score` is per row; `test` and `test_median` are log densities per row of other rows (NaN where
    there are none).
    """

    inputs: tuple[str, ...]
    removed: str
    score: float
    test: float
    test_median: float


@dataclass(frozen=True)
class Pruning:
    """The way from all inputs to none."""

    target: str
    stages: tuple[Stage, ...]
    stopped: str = ""

    @property
    def best(self) -> Stage:
        """The stage with the best score; ties go to fewer inputs."""
        return max(self.stages, key=lambda stage: (stage.score, -len(stage.inputs)))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        stages = [stage._asdict() for stage in self.stages]
        return {"target": self.target, "stages": stages, "stopped": self.stopped}

    def __str__(self) -> str:
        tested = not np.isnan(self.stages[0].test)
        head = f"{self.target} from fewer and fewer inputs; scores in nats per row"
        lines = [head, "inputs     score" + "      test   (median)" * tested + "  without"]
        for stage in self.stages:
            test = f"  {stage.test:8.4f}  {stage.test_median:8.4f}" if tested else ""
            mark = " *" if stage is self.best else ""
            lines.append(
                f"{len(stage.inputs):6d}  {stage.score:8.4f}{test}  {stage.removed or '-'}{mark}"
            )
        kept = ", ".join(self.best.inputs) or "none"
        lines.append(f"* best score, with {len(self.best.inputs)} inputs: {kept}")
        if self.stopped:
            left = len(self.stages[-1].inputs)
            lines.append(f"{self.stopped}: fewer than {left} inputs were not looked at")
        return "\n".join(lines)


def pruning(
    fits: Fits, score: Score, target: int, test: Table | None = None, on_step: Watch | None = None
) -> Pruning:
    """Take inputs of a target away one by one, the least missed first.

    Parameters
    ----------
    fits : where the local models come from.
    score : what an input is missed by.
    target : column number of the variable to predict.
    test : other rows of the same columns, to be scored by each model.
    on_step : called with each step, and between small batches of local fits where these are dear;
        returning True ends the way early.

    Returns
    -------
    Pruning.
    """
    names = score.nodes

    def stage(inputs: tuple[int, ...], value: float, removed: str = "") -> Stage:
        mean = median = float("nan")
        if test is not None:
            model = fits.conditional(target, inputs)
            logs = model.logpdf(test.columns[target], tuple(test.columns[j] for j in inputs))
            mean, median = float(logs.mean()), float(np.median(logs))
        return Stage(tuple(names[j] for j in inputs), removed, value / score.rows, mean, median)

    inputs = tuple(x for x in range(len(names)) if x != target)
    stages = [stage(inputs, score.local(target, inputs))]
    trail = Trail(on_step)
    careful = score.watched(trail.check)
    while inputs and not trail.stopped:
        try:
            without = careful.toggles(target, inputs, inputs)
        except Interrupted:
            break
        # ties within rounding go to the lower column number
        place = int((without >= without.max() - 1e-10 * max(1.0, score.rows)).argmax())
        removed, value = inputs[place], float(without[place])
        inputs = inputs[:place] + inputs[place + 1 :]
        stages.append(stage(inputs, value, names[removed]))
        trail.add("drop", value, len(inputs), removed, target)
    return Pruning(names[target], tuple(stages), trail.stopped)

"""Undirected Gaussian networks edge by edge: edges are added and taken out by the extended BIC."""

from dataclasses import replace
from typing import Self

from arcwise.data import Moments, Table
from arcwise.errors import WordError, columns_named
from arcwise.learners.correlations import Correlations, Found, Settings
from arcwise.learners.options import options_of, subset
from arcwise.learners.problem import Learned
from arcwise.learners.specification import Specification
from arcwise.results import Watch
from arcwise.undirected.stepwise import Stepwise as Steps
from arcwise.undirected.stepwise import stepwise

__all__ = ["Stepwise"]

_OTHERS = {"gamma", "nonparanormal", "gaps"}
_STEPWISE = subset(Settings, *(set(options_of(Settings)) - _OTHERS))


class Stepwise(Correlations):
    """An undirected Gaussian graph, unless another search, a score or a penalty is asked for."""

    searches = {"auto": _STEPWISE, "stepwise": _STEPWISE}  # noqa: RUF012

    @classmethod
    def takes(cls, spec: Specification, model: str) -> bool:
        """Whether it is asked for; "auto" means it unless a score, a penalty or an option speaks against."""
        if spec.search != "auto":
            return spec.search in cls.searches
        penalised = spec.penalty is not None or spec.rule is not None
        plain = spec.score is None and not penalised and set(spec.options) <= _OTHERS
        return model == "gaussian" and plain

    @classmethod
    def bind(cls, spec: Specification, source: Table | Moments) -> Self:
        """Tie a specification to data; there is no penalty."""
        if spec.penalty is not None or spec.rule is not None:
            raise WordError(
                "search='stepwise' charges edges by the extended BIC and has no penalty: leave penalty= out "
                "and set gamma=, or take search='glasso', which has a graph at every penalty."
            )
        return super().bind(spec.but(search="stepwise"), source)

    def learn(self, penalty: float, watch: Watch | None = None) -> Learned:
        """Add and take out edges one by one, and fit the network on the graph found."""
        rows, gamma = self.fits.rows, self.settings.gamma
        with columns_named(self.fits.nodes):
            found = stepwise(self.matrix, rows, gamma=gamma, **self.pairs, on_step=watch)
            net, said, _ = self.fitted(Found(0.0, self.joined(found.adjacency)), watch)
        stopped = found.stopped or "no edge more or less raises the criterion"
        said = said if net.joint is None else ""
        learned = self.measured(net, 0.0, found.trace, stopped, said, _how(found))
        return replace(learned, settled=not found.stopped)


def _how(found: Steps) -> str:
    """How edges were found, in a sentence."""
    many = f"{found.edges} edge{'s' * (found.edges != 1)}"
    if found.stopped:
        return f"Edges were added stepwise, and the run was cut short at {many}: others may be missing."
    value = "" if found.ebic is None else f" (EBIC {found.ebic:.6g})"
    return (
        f"Edges were added and taken out one by one (stepwise) by the extended BIC, gamma {found.gamma:.3g}: "
        f"{many}{value}; penalty='ebic' takes the graphical lasso instead."
    )

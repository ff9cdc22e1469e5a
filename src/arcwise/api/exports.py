"""Draws of chains in the form of other libraries."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FitError

if TYPE_CHECKING:
    from arcwise.api.posteriors import Posterior


def arc_draws(post: "Posterior") -> NDArray[np.bool_]:
    """Whether each arc was there: (chain, draw, parent, child)."""
    ends = [name for name in post.kept if name.endswith("_parents") and "state" not in name]
    names = sorted(name for name in ends if len(post.kept[name]))
    if not names or not post.directed:
        raise FitError("Only chains (method='mcmc') have graphs that were drawn one by one.")
    least, p = min(len(post.kept[name]) for name in names), len(post.found.nodes)
    found = []
    for name in names:
        bits = np.ascontiguousarray(post.kept[name][-least:], dtype="<u8")
        flat = np.unpackbits(bits.view(np.uint8).reshape(least, p, -1), axis=2, bitorder="little")
        found.append(flat[:, :, :p].transpose(0, 2, 1).astype(bool))
    return np.stack(found)


def to_arviz(post: "Posterior") -> Any:
    """The draws of chains as an ArviZ InferenceData; without ArviZ, a dictionary in its layout."""
    draws = {"score": post.log_scores(), "arc": arc_draws(post)}
    names = list(post.found.nodes)
    coordinates = {"parent": names, "child": names}
    dimensions = {"arc": ["parent", "child"]}
    try:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # what its next version will look like is its own matter
            import arviz
    except ImportError:
        return {"posterior": draws, "coords": coordinates, "dims": dimensions}
    return arviz.from_dict(posterior=draws, coords=coordinates, dims=dimensions)

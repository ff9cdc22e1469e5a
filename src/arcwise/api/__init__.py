"""What users touch: verbs, and the network they give."""

from arcwise.api.classification import Classification, classify
from arcwise.api.fitting import fit, network, score
from arcwise.api.learning import learn
from arcwise.api.loading import load, load_graph
from arcwise.api.net import Network
from arcwise.api.paths import PenaltyPath, path
from arcwise.api.validation import prune, validate

__all__ = [
    "Classification",
    "Network",
    "PenaltyPath",
    "classify",
    "fit",
    "learn",
    "load",
    "load_graph",
    "network",
    "path",
    "prune",
    "score",
    "validate",
]

"""What users touch: verbs, and the network they give."""

from arcwise.api.fit import fit, network
from arcwise.api.learn import learn
from arcwise.api.network import Network, load, load_graph
from arcwise.api.validate import validate

__all__ = ["Network", "fit", "learn", "load", "load_graph", "network", "validate"]

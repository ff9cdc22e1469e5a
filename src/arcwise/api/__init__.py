"""What users touch: verbs, and the network they give."""

from arcwise.api.learn import fit, learn, network, validate
from arcwise.api.network import Network, load, load_graph

__all__ = ["Network", "fit", "learn", "load", "load_graph", "network", "validate"]

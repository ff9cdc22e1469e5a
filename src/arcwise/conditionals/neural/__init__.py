"""Neural networks with one hidden layer: a number with its spread, or the probabilities of levels."""

from arcwise.conditionals.neural.network_model import NeuralConditional
from arcwise.conditionals.neural.neural_family import NeuralFamily

__all__ = ["NeuralConditional", "NeuralFamily"]

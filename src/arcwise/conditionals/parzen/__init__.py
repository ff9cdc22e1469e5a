"""Conditional Parzen windows, kernel density estimates of any shape (Hofmann and Tresp 1995, 1997).

With rows m, inputs at squared distance DB and the output at squared distance DO,

    p(y | x) = sum_m w_m K_in(DB_m) K_out(DO_m) / sum_m w_m K_in(DB_m),

a mixture of Gaussians around the output's values, weighted by the distance of the rows' inputs (1997,
eq. 3; 1995, eq. 4). Distances are measured in standard deviations of the columns. There are two
bandwidths, one of all inputs and one of the output (1997), or a single one (1995); they maximise the
leave-one-out log-likelihood.

Rules:

* Bandwidths lie between `min_bandwidth` (0.01 sd by default) and 30 sd. If values of a column repeat, the
  likelihood grows without bound as the output's bandwidth shrinks; the model is then `at_minimum`.
* A discrete variable's kernel is exp(-b [y != y']) / (1 + (levels - 1) exp(-b)). As an input its
  distance is 0 or 1, or, for ordered levels, the difference of ranks / (levels - 1).
* `tail_weight` = e mixes in a wide normal, (1 - e) p + e N(mean, (2 sd)^2), or a uniform distribution over
  levels, which bounds the cost of outlying rows to a few nats.
* A constant column counts as one with standard deviation 1e-6 max(1, |mean|).
"""

from arcwise.conditionals.parzen.window_family import ParzenFamily
from arcwise.conditionals.parzen.window_fits import ParzenFits, kept_fits
from arcwise.conditionals.parzen.windows import ParzenConditional

__all__ = ["ParzenConditional", "ParzenFamily", "ParzenFits", "kept_fits"]

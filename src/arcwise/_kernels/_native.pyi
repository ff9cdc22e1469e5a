"""The compiled module: untyped doors, opened only by the faces beside it."""

from typing import Any

gaussian_sweep: Any
gaussian_many: Any
gaussian_subsets: Any
gaussian_folds: Any
gaussian_loo: Any
subset_maxima: Any
best_order: Any
dag_posterior: Any
StructureChain: Any
scan_moves: Any
legal_add: Any
legal_flip: Any
link: Any
unlink: Any
stale_after_link: Any
stale_after_unlink: Any
ges: Any
GaussianScores: Any
DiscreteTable: Any
DiscreteScores: Any
elimination_plan: Any
JunctionTree: Any
Orders: Any
parzen_loo: Any
parzen_fit: Any
parzen_joint: Any
parzen_shares: Any
parzen_means: Any
parzen_log_density: Any
parzen_draw: Any
parzen_loo_rows: Any
parzen_fit_near: Any
glasso_descend: Any
glasso_neighbours: Any
glasso_precision: Any
glasso_certify: Any
glasso_mismatch: Any
glasso_curvature: Any
glasso_gather: Any
glasso_scatter: Any
glasso_ahead: Any
glasso_box: Any
glasso_mirror: Any
glasso_components: Any

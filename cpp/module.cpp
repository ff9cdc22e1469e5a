// The compiled loops of Arcwise, one file per notion. Arrays and numbers in, arrays out.
#include <nanobind/nanobind.h>

void bind_gaussian(nanobind::module_& m);
void bind_subsets(nanobind::module_& m);
void bind_posterior(nanobind::module_& m);
void bind_chain(nanobind::module_& m);
void bind_partitions(nanobind::module_& m);
void bind_moves(nanobind::module_& m);
void bind_ges(nanobind::module_& m);
void bind_orders(nanobind::module_& m);
void bind_discrete(nanobind::module_& m);
void bind_junction(nanobind::module_& m);
void bind_glasso(nanobind::module_& m);
void bind_glasso_blocks(nanobind::module_& m);
void bind_parzen(nanobind::module_& m);
void bind_parzen_predict(nanobind::module_& m);
void bind_plain(nanobind::module_& m);

NB_MODULE(_native, m) {
  m.doc() = "Compiled loops behind arcwise._kernels.";
  bind_gaussian(m);
  bind_subsets(m);
  bind_posterior(m);
  bind_moves(m);
  bind_ges(m);
  bind_orders(m);
  bind_discrete(m);
  bind_junction(m);
  bind_chain(m);
  bind_partitions(m);
  bind_glasso(m);
  bind_glasso_blocks(m);
  bind_parzen(m);
  bind_parzen_predict(m);
  bind_plain(m);
}

// A Markov chain over acyclic graphs that adds or takes out one arc at a time (structure MCMC: Madigan and York 1995).
//
// From G one of the eta(G) graphs that rules and acyclicity allow is proposed, each with the same probability, and accepted
// with min(1, exp(beta (score(G') - score(G))) eta(G) / eta(G')). Instead, some steps may flip an arc chosen among all, or draw
// new parents for both of its ends once it is turned (Grzegorczyk and Husmeier 2008).
//
// Scores are remembered. A set is always scored in the same way, whatever the chain did before: as the extension of the set
// without its last member, together with all others that extend it at the end; so a run in pieces is the run in one.
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "local_scores.hpp"
#include "reversal.hpp"

namespace arcwise {

class StructureChain {
 public:
  StructureChain(ConstWords allowed, ConstWords required, std::int64_t max_parents, double beta, double flips, double turns,
                 bool rows, nb::object sets)
      : p_(static_cast<int>(allowed.shape(0))), words_(allowed.shape(1)), most_(max_parents), beta_(beta), flips_(flips),
        turns_(turns), rows_(rows), allowed_(allowed.data(), allowed.data() + allowed.size()),
        required_(required.data(), required.data() + required.size()), memory_(p_, Memory(words_)), rows_of_(p_, words_), held_(sets),
        sets_(sets.is_none() ? nullptr : nb::cast<ParentSets*>(sets)), logs_(static_cast<std::size_t>(p_ * p_) + 1) {
    if (required.size() != allowed.size()) throw nb::value_error("the tables of a chain have different sizes");
    if (turns_ > 0.0 && !sets_) throw nb::value_error("a chain that draws new parents needs parent sets");
    for (std::size_t i = 0; i < logs_.size(); ++i) logs_[i] = std::log(static_cast<double>(i));
  }

  // Go to a state: parents, the state of the generator, steps taken.
  void go_to(ConstWords parents, Seed generator, std::int64_t taken) {
    if (parents.size() != allowed_.size()) throw nb::value_error("the tables of a chain have different sizes");
    parents_.assign(parents.data(), parents.data() + parents.size());
    std::copy_n(generator.data(), 4, random_.state.begin());
    taken_ = taken;
    settle();
    own_.clear();
  }

  // Take `steps` steps; the states after every `thin`-th as rows of bits, and their scores.
  // (states, scores, accepted, steps, ended)
  nb::tuple run(nb::handle source, std::int64_t steps, std::int64_t thin, nb::callable watch, nb::object permits) {
    std::optional<CalledScores> called;
    compiled_ = nb::isinstance<LocalScores>(source);
    if (compiled_) scores_ = nb::cast<LocalScores*>(source);
    else scores_ = &called.emplace(nb::cast<nb::callable>(source), p_);
    permits_ = permits;
    std::vector<Word> states;
    std::vector<double> totals;
    std::int64_t accepted = 0, done = 0;
    bool ended = false;
    {
      nb::gil_scoped_release release;
      Patience patience(1024);
      try {
        if (own_.empty()) {
          std::vector<double> own;
          for (int v = 0; v < p_; ++v) own.push_back(score(v, row(parents_, v)));
          own_ = std::move(own);
        }
        for (; done < steps && !ended; ++done) {
          const Random before = random_;
          try {
            accepted += step();
          } catch (const Ended&) {
            random_ = before;  // the step is taken again when the chain goes on
            throw;
          }
          if ((++taken_) % thin == 0) {
            states.insert(states.end(), parents_.begin(), parents_.end());
            totals.push_back(total());
          }
          if (patience.over(done + 1)) {
            nb::gil_scoped_acquire acquire;
            ended = nb::cast<bool>(watch(done + 1, total()));
          }
        }
      } catch (const Ended&) {
        ended = true;
      }
    }
    return nb::make_tuple(to_numpy(std::move(states)), to_numpy(std::move(totals)), accepted, done, ended);
  }

  // The legal changes of one arc: tails, heads, and the logs of the ratios by which they are accepted.
  nb::tuple proposals(nb::handle source) {
    run(source, 0, 1, nb::callable(), nb::none());
    std::vector<std::int64_t> tails, heads;
    std::vector<double> ratios;
    std::optional<CalledScores> called;
    if (!compiled_) scores_ = &called.emplace(nb::cast<nb::callable>(source), p_);
    for (std::int64_t place = 0; place < legal_; ++place) {
      const auto [u, v] = chosen(static_cast<int>(place));
      tails.push_back(u);
      heads.push_back(v);
      ratios.push_back(consider(u, v).log_ratio);
    }
    return nb::make_tuple(to_numpy(std::move(tails)), to_numpy(std::move(heads)), to_numpy(std::move(ratios)));
  }

  // All that the next step needs beside the scores: parents, the state of the generator, steps taken.
  nb::tuple state() const {
    return nb::make_tuple(to_numpy(parents_), to_numpy(std::vector<Word>(random_.state.begin(), random_.state.end())), taken_);
  }
  double total() const { return std::accumulate(own_.begin(), own_.end(), 0.0); }
  std::int64_t legal() const { return legal_; }
  std::size_t known() const {
    std::size_t sum = 0;
    for (const Memory& memory : memory_) sum += memory.size();
    return sum;
  }

 private:
  static constexpr std::size_t kMemory = 40'000'000;  // scores remembered
  int p_;
  std::size_t words_;
  std::int64_t most_;
  double beta_, flips_, turns_;
  bool rows_;
  std::vector<Word> allowed_, required_, parents_, below_;
  std::vector<Memory> memory_;
  Rows rows_of_;
  nb::object held_, permits_;
  ParentSets* sets_;
  std::vector<double> logs_;
  Random random_;
  LocalScores* scores_ = nullptr;
  bool compiled_ = true;
  std::vector<double> own_;
  std::vector<int> changes_;  // how many bits of each variable's parents may be turned
  std::int64_t legal_ = 0, taken_ = 0;
  // Scratch of a proposal: variables whose descendants change, these, and their new numbers of changes.
  std::vector<int> touched_, sizes_, counts_;
  std::vector<Word> news_, key_;

  const Word* row(const std::vector<Word>& table, int v) const { return table.data() + static_cast<std::size_t>(v) * words_; }
  Word* row(std::vector<Word>& table, int v) const { return table.data() + static_cast<std::size_t>(v) * words_; }
  template <typename Visit>
  void each(const Word* bits, const Visit& visit) const { each_bit(bits, words_, visit); }

  // Descendants and legal changes of the present graph, from scratch.
  void settle() {
    below_ = rows_of_.descendants(parents_);
    changes_.resize(p_);
    legal_ = 0;
    for (int v = 0; v < p_; ++v) legal_ += changes_[v] = changeable(v, row(parents_, v), row(below_, v));
  }

  // Bits of v that may be turned: parents that are not required, and variables that may become parents.
  Word turnable(int v, std::size_t w, const Word* parents, const Word* below, bool room) const {
    const std::size_t at = static_cast<std::size_t>(v) * words_ + w;
    return (parents[w] & ~required_[at]) | (room ? allowed_[at] & ~parents[w] & ~below[w] : 0);
  }
  int changeable(int v, const Word* parents, const Word* below) const {
    const bool room = size_of(parents, words_) < most_;
    int sum = 0;
    for (std::size_t w = 0; w < words_; ++w) sum += std::popcount(turnable(v, w, parents, below, room));
    return sum;
  }

  std::pair<int, int> chosen(int place) const {
    int v = 0;
    while (place >= changes_[v]) place -= changes_[v++];
    const Word *parents = row(parents_, v), *below = row(below_, v);
    const bool room = size_of(parents, words_) < most_;
    for (std::size_t w = 0;; ++w) {
      Word bits = turnable(v, w, parents, below, room);
      const int size = std::popcount(bits);
      if (place >= size) {
        place -= size;
        continue;
      }
      for (; place > 0; --place) bits &= bits - 1;
      return {static_cast<int>(64 * w) + std::countr_zero(bits), v};
    }
  }

  bool step() {
    if (flips_ > 0.0 || turns_ > 0.0) {
      const double kind = random_.uniform();
      if (kind < flips_) return flip();
      if (kind < flips_ + turns_) return redraw();
    }
    return toggle();
  }

  bool permitted(const std::vector<Word>& parents) {
    if (permits_.is_none()) return true;
    nb::gil_scoped_acquire acquire;
    return nb::cast<bool>(permits_(to_numpy(parents)));
  }

  bool toggle() {
    if (legal_ == 0) return false;
    const auto [u, v] = chosen(random_.under(static_cast<int>(legal_)));
    Proposal next = consider(u, v);
    if (!random_.takes(next.log_ratio)) return false;
    if (!permits_.is_none()) {
      std::vector<Word> parents(parents_);
      std::copy_n(key_.begin(), words_, row(parents, v));
      if (!permitted(parents)) return false;
    }
    std::copy_n(key_.begin(), words_, row(parents_, v));
    own_[v] = next.score;
    legal_ = next.legal;
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      std::copy_n(news_.begin() + static_cast<std::ptrdiff_t>(i * words_), words_, row(below_, touched_[i]));
      changes_[touched_[i]] = counts_[i];
    }
    if (next.changes >= 0) changes_[v] = next.changes;
    return true;
  }

  struct Proposal {
    double score, log_ratio;  // of the head, and of the step
    std::int64_t legal;
    int changes;  // of the head, where its descendants stay as they are; else -1
  };

  // What turning u -> v would do; the scratch tables hold the rest.
  Proposal consider(int u, int v) {
    key_.assign(row(parents_, v), row(parents_, v) + words_);
    turn(key_.data(), u);
    Proposal next{score(v, key_.data()), 0.0, legal_, -1};
    touched_.clear();
    news_.clear();
    if (has(key_.data(), u)) with(u, v);
    else without(u, v);
    counts_.clear();
    bool seen = false;
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      const int a = touched_[i];
      seen |= a == v;
      counts_.push_back(changeable(a, a == v ? key_.data() : row(parents_, a), news_.data() + i * words_));
      next.legal += counts_.back() - changes_[a];
    }
    if (!seen) next.legal += (next.changes = changeable(v, key_.data(), row(below_, v))) - changes_[v];
    next.log_ratio = beta_ * (next.score - own_[v]) + logs_[static_cast<std::size_t>(legal_)] -
                     logs_[static_cast<std::size_t>(next.legal)];
    return next;
  }

  // What u and its ancestors lead to once u -> v is there.
  void with(int u, int v) {
    const Word* gain = row(below_, v);
    for (int a = 0; a < p_; ++a) {
      if (a != u && !has(row(below_, a), u)) continue;
      touched_.push_back(a);
      for (std::size_t w = 0; w < words_; ++w) news_.push_back(row(below_, a)[w] | gain[w]);
      put(news_.data() + (touched_.size() - 1) * words_, v);
    }
  }

  // What they lead to once it is gone: nothing is lost if u leads to v by another way.
  void without(int u, int v) {
    if (reaches(u, v)) return;
    sizes_.clear();
    for (int a = 0; a < p_; ++a) {
      if (a != u && !has(row(below_, a), u)) continue;
      const int size = size_of(row(below_, a), words_);  // whoever leads to another leads to more
      std::size_t i = touched_.size();
      touched_.push_back(a);
      sizes_.push_back(size);
      for (; i > 0 && sizes_[i - 1] > size; --i) {
        sizes_[i] = sizes_[i - 1];
        touched_[i] = touched_[i - 1];
      }
      sizes_[i] = size;
      touched_[i] = a;
    }
    news_.assign(touched_.size() * words_, 0);
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      const int a = touched_[i];
      Word* own = news_.data() + i * words_;
      each(row(below_, a), [&](int c) {
        if (!has(row(parents_, c), a) || (a == u && c == v)) return;
        const Word* more = row(below_, c);
        for (std::size_t j = 0; j < i; ++j)
          if (touched_[j] == c) more = news_.data() + j * words_;
        for (std::size_t w = 0; w < words_; ++w) own[w] |= more[w];
        put(own, c);
      });
    }
  }

  // Whether u leads to v by another way than the arc between them.
  bool reaches(int u, int v) const {
    bool found = false;
    each(row(parents_, v), [&](int x) { found |= x != u && has(row(below_, u), x); });
    return found;
  }

  bool flip() {
    if (rows_of_.arcs(parents_) == 0) return false;
    const auto [u, v] = rows_of_.arc(parents_, random_);
    if (has(row(required_, v), u) || !has(row(allowed_, u), v) || size_of(row(parents_, u), words_) >= most_ || reaches(u, v))
      return false;
    std::vector<Word> next(parents_);
    turn(row(next, v), u);
    turn(row(next, u), v);
    const double at_v = score(v, row(next, v)), at_u = score(u, row(next, u));
    if (!random_.takes(beta_ * (at_v - own_[v] + at_u - own_[u])) || !permitted(next)) return false;
    parents_ = std::move(next);
    own_[v] = at_v;
    own_[u] = at_u;
    settle();
    return true;
  }

  // Turn an arc and draw all parents of both its ends anew.
  bool redraw() {
    Rows::Reversal next = rows_of_.reversal(parents_, *sets_, random_);
    if (next.tail < 0) return false;
    const double at_tail = score(next.tail, row(next.parents, next.tail)), at_head = score(next.head, row(next.parents, next.head));
    if (!random_.takes(next.log_ratio) || !permitted(next.parents)) return false;
    parents_ = std::move(next.parents);
    own_[next.tail] = at_tail;
    own_[next.head] = at_head;
    settle();
    return true;
  }

  double score(int v, const Word* bits) {
    if (const double* known = memory_[v].find(bits)) return *known;
    if (memory_[v].size() > kMemory / static_cast<std::size_t>(p_)) memory_[v].clear();
    const std::vector<Word> wanted(bits, bits + words_);
    Set path;
    each(bits, [&](int x) { path.push_back(x); });
    Choices found;
    const bool extend = rows_ && !path.empty();
    if (extend) path.pop_back();
    ask(v, path, extend, found);
    if (!extend) {
      memory_[v].put(wanted.data(), found.own);
      return found.own;
    }
    std::vector<Word> key(words_, 0);
    for (int x : path) put(key.data(), x);
    memory_[v].put(wanted.data(), -INFINITY);  // a set that is impossible is not among the options
    for (const Option& option : found.more) {
      if (!path.empty() && option.node < path.back()) continue;
      turn(key.data(), option.node);
      memory_[v].put(key.data(), option.score);
      turn(key.data(), option.node);
    }
    return *memory_[v].find(wanted.data());
  }

  void ask(int v, const Set& path, bool outside, Choices& found) {
    if (compiled_) return scores_->ask(v, path, outside, false, -INFINITY, found);
    nb::gil_scoped_acquire acquire;
    scores_->ask(v, path, outside, false, -INFINITY, found);
  }
};

}  // namespace arcwise

void bind_chain(nanobind::module_& m) {
  namespace nb = nanobind;
  using namespace arcwise;
  nb::class_<ParentSets>(m, "ParentSets").def(nb::init<ConstIndices, ConstWords, ConstVector>());
  nb::class_<StructureChain>(m, "StructureChain")
      .def(nb::init<ConstWords, ConstWords, std::int64_t, double, double, double, bool, nb::object>(), nb::arg(), nb::arg(),
           nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("go_to", &StructureChain::go_to)
      .def("run", &StructureChain::run, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("proposals", &StructureChain::proposals)
      .def("state", &StructureChain::state)
      .def_prop_ro("total", &StructureChain::total)
      .def_prop_ro("legal", &StructureChain::legal)
      .def_prop_ro("known", &StructureChain::known);
}

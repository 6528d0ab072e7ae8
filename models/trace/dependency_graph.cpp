// SPDX-License-Identifier: Apache-2.0
// Kahn's algorithm over one rank's nodes, collapsing those that do not take part.
// Leaves out: transitive reduction; a redundant edge costs a few bytes and no time.
#include "trace/dependency_graph.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <span>

#include "kernel/error.h"

namespace sluice {

/// Everything that lives only while a stream is built. Nodes are numbered by rising id.
class DependencyGraph::Builder {
 public:
  Builder(DependencyGraph& graph, const std::string& where, std::vector<std::string>& missing)
      : graph_(graph), where_(where), missing_(missing) {}

  RankStream run() {
    sort_nodes();
    resolve_ids();
    index_dependents();
    std::priority_queue<Index, std::vector<Index>, std::greater<>> ready;
    for (Index n = 0; n < count(); ++n)
      if (waiting_[n] == 0) ready.push(n);
    std::size_t done = 0;
    while (!ready.empty()) {
      const Index n = ready.top();
      ready.pop();
      place(n);
      ++done;
      for (std::size_t e = first_dependent_[n]; e < first_dependent_[n + 1]; ++e)
        if (--waiting_[dependents_[e]] == 0) ready.push(dependents_[e]);
    }
    if (done != count()) fail_on_cycle();
    return std::move(stream_);
  }

 private:
  static constexpr std::size_t kInline = 4;
  static constexpr std::size_t kMostMissing = 8;
  static constexpr Index kAbsent = UINT32_MAX;
  struct Before {  ///< ops that a node stands for
    std::array<std::uint32_t, kInline> ops{};
    std::uint8_t size = 0;
    bool tail = false;  ///< nothing else can depend on its op, a compute
  };

  Index count() const { return static_cast<Index>(graph_.nodes_.size()); }
  const Node& node(Index n) const { return graph_.nodes_[n]; }
  std::span<const Index> deps(Index n) const {
    return std::span(deps_).subspan(first_dep_[n], first_dep_[n + 1] - first_dep_[n]);
  }

  void sort_nodes() {
    auto& nodes = graph_.nodes_;
    const auto by_id = [](const Node& a, const Node& b) { return a.id < b.id; };
    if (!std::is_sorted(nodes.begin(), nodes.end(), by_id))
      std::stable_sort(nodes.begin(), nodes.end(), by_id);
    for (std::size_t n = 1; n < nodes.size(); ++n)
      if (nodes[n].id == nodes[n - 1].id)
        throw TraceError(fmt::format("{}: node id {} is given twice", where_, nodes[n].id));
  }

  Index find(std::uint64_t id, Index from) {
    const auto& nodes = graph_.nodes_;
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), id,
                                     [](const Node& a, std::uint64_t b) { return a.id < b; });
    if (at == nodes.end() || at->id != id) {
      if (missing_.size() < kMostMissing)
        missing_.push_back(fmt::format("{}: node {} depends on node {}, which is not in the file",
                                       where_, node(from).id, id));
      return kAbsent;
    }
    return static_cast<Index>(at - nodes.begin());
  }

  void resolve_ids() {
    first_dep_.assign(1, 0);
    first_dep_.reserve(count() + std::size_t{1});
    for (Index n = 0; n < count(); ++n) {
      const std::size_t begin = deps_.size();
      for (std::uint32_t d = 0; d < node(n).dep_count; ++d) {
        const Index dependency = find(graph_.deps_[node(n).first_dep + d], n);
        if (dependency != kAbsent) deps_.push_back(dependency);
      }
      const auto first = deps_.begin() + static_cast<std::ptrdiff_t>(begin);
      std::sort(first, deps_.end());
      deps_.erase(std::unique(first, deps_.end()), deps_.end());
      first_dep_.push_back(deps_.size());
    }
    std::vector<std::uint64_t>().swap(graph_.deps_);
  }

  void index_dependents() {
    first_dependent_.assign(count() + std::size_t{2}, 0);
    for (const Index dep : deps_) ++first_dependent_[dep + std::size_t{2}];
    for (std::size_t n = 2; n < first_dependent_.size(); ++n)
      first_dependent_[n] += first_dependent_[n - 1];
    dependents_.resize(deps_.size());
    waiting_.resize(count());
    for (Index n = 0; n < count(); ++n) {
      waiting_[n] = static_cast<std::uint32_t>(deps(n).size());
      for (const Index dep : deps(n)) dependents_[first_dependent_[dep + std::size_t{1}]++] = n;
    }
    first_dependent_.pop_back();
    before_.resize(count());
  }

  std::size_t dependents_of(Index n) const { return first_dependent_[n + 1] - first_dependent_[n]; }

  void place(Index n) {
    std::vector<std::uint32_t>& need = scratch_;
    need.clear();
    for (const Index dep : deps(n)) {
      const Before& before = before_[dep];
      need.insert(need.end(), before.ops.begin(), before.ops.begin() + before.size);
    }
    std::sort(need.begin(), need.end());
    need.erase(std::unique(need.begin(), need.end()), need.end());
    // The only dependent of a compute op's last node.
    const bool follows_tail =
        deps(n).size() == 1 && dependents_of(deps(n)[0]) == 1 && before_[deps(n)[0]].tail;
    Before& mine = before_[n];
    switch (node(n).role) {
      case Role::kTransparent:
        mine.tail = follows_tail;
        if (need.size() <= kInline) {
          std::copy(need.begin(), need.end(), mine.ops.begin());
          mine.size = static_cast<std::uint8_t>(need.size());
        } else {
          emit(n, Op{}, need);
        }
        return;
      case Role::kCompute:
        if (follows_tail) {
          stream_.ops[need[0]].compute += Ps{node(n).value};
          mine = before_[deps(n)[0]];
        } else {
          Op op;
          op.compute = Ps{node(n).value};
          emit(n, op, need);
        }
        mine.tail = true;
        return;
      case Role::kOp:
        emit(n, graph_.ops_[node(n).value], need);
        return;
    }
  }

  void emit(Index n, Op op, const std::vector<std::uint32_t>& need) {
    op.source = node(n).id;
    if (stream_.deps.size() + need.size() > UINT32_MAX)
      throw TraceError(fmt::format("{}: more than 2^32 dependencies", where_));
    op.first_dep = static_cast<std::uint32_t>(stream_.deps.size());
    op.dep_count = static_cast<std::uint32_t>(need.size());
    stream_.deps.insert(stream_.deps.end(), need.begin(), need.end());
    before_[n].ops[0] = static_cast<std::uint32_t>(stream_.ops.size());
    before_[n].size = 1;
    stream_.ops.push_back(op);
  }

  /// From a node that never became ready, waiting dependencies lead back into a cycle.
  [[noreturn]] void fail_on_cycle() const {
    Index n = 0;
    while (waiting_[n] == 0) ++n;
    std::vector<Index> path;
    std::vector<bool> on_path(count(), false);
    while (!on_path[n]) {
      on_path[n] = true;
      path.push_back(n);
      for (const Index dep : deps(n)) {
        if (waiting_[dep] == 0) continue;
        n = dep;
        break;
      }
    }
    std::string text;
    for (auto at = std::find(path.begin(), path.end(), n); at != path.end(); ++at)
      text += fmt::format("{} -> ", node(*at).id);
    throw TraceError(fmt::format("{}: dependencies form a cycle (each waits for the next): {}{}",
                                 where_, text, node(n).id));
  }

  DependencyGraph& graph_;
  const std::string& where_;
  std::vector<std::string>& missing_;
  std::vector<std::size_t> first_dep_;
  std::vector<Index> deps_;
  std::vector<std::size_t> first_dependent_;
  std::vector<Index> dependents_;
  std::vector<std::uint32_t> waiting_;
  std::vector<Before> before_;
  std::vector<std::uint32_t> scratch_;
  RankStream stream_;
};

void DependencyGraph::add(std::uint64_t id, Role role, std::uint64_t value,
                          const std::vector<std::uint64_t>& deps) {
  nodes_.push_back({id, value, deps_.size(), static_cast<std::uint32_t>(deps.size()), role});
  deps_.insert(deps_.end(), deps.begin(), deps.end());
}

void DependencyGraph::add_transparent(std::uint64_t id, const std::vector<std::uint64_t>& deps) {
  add(id, Role::kTransparent, 0, deps);
}

void DependencyGraph::add_compute(std::uint64_t id, Ps duration,
                                  const std::vector<std::uint64_t>& deps) {
  add(id, Role::kCompute, duration.value, deps);
}

void DependencyGraph::add_op(std::uint64_t id, const Op& op,
                             const std::vector<std::uint64_t>& deps) {
  add(id, Role::kOp, ops_.size(), deps);
  ops_.push_back(op);
}

RankStream DependencyGraph::build(const std::string& where, std::vector<std::string>& missing) {
  return Builder(*this, where, missing).run();
}

}  // namespace sluice

// SPDX-License-Identifier: Apache-2.0
// All ranks of a workload joined by an ideal transport on the event wheel: each rank's writes leave
// one after the other at a fixed rate and take a fixed latency; the ack takes the latency again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "host/rank_executor.h"
#include "host/stall_report.h"
#include "kernel/event_wheel.h"
#include "kernel/random.h"

namespace sluice {

class IdealCluster {
 public:
  struct Options {
    Ps latency{};
    std::uint64_t ps_per_byte = 0;
    Ps op_overhead{};
    Ps start_spread{};  ///< ranks start at seeded times in [0, spread]
    std::uint64_t seed = 1;
    CollectiveParams collective{};
  };

  IdealCluster(const Workload& workload, const Options& options)
      : options_(options), plan_(workload), library_(options.collective), recorder_(plan_) {
    for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
      ranks_.push_back(std::make_unique<Rank>(*this, rank));
      executors_.push_back(&ranks_.back()->executor);
    }
  }

  void run() {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      std::uint64_t at = 0;
      if (options_.start_spread > Ps{}) {
        RandomStream random(options_.seed, rank, RandomPurpose::kStartJitter);
        at = random.below(static_cast<std::uint32_t>(options_.start_spread.value) + 1);
      }
      wheel_.post(Ps{at}, ranks_[rank]->target, kStart);
    }
    wheel_.run_before(kNever);
  }

  bool complete() const { return run_complete(executors_, recorder_); }
  std::string stall() const {
    return describe_stall(plan_, library_, executors_, recorder_, wheel_.now());
  }
  const RankExecutor& rank(std::uint32_t r) const { return *executors_[r]; }
  std::uint64_t bytes_sent(std::uint32_t r) const { return ranks_[r]->bytes_sent; }
  const RunRecorder& recorder() const { return recorder_; }
  const WorkloadPlan& plan() const { return plan_; }
  /// Ops of a rank in the order they ended is not kept; this is when the last one did.
  Ps last_end() const { return recorder_.last_end(); }

 private:
  enum Kind : std::uint8_t { kStart, kWake, kTransport };
  struct Delivery {
    Ps time;
    std::uint64_t order;
    std::uint32_t sender;
    bool ack;
    std::uint64_t bytes, cookie;
    Immediate immediate;
    bool operator>(const Delivery& b) const {
      return time != b.time ? time > b.time : order > b.order;
    }
  };
  struct Rank final : EventHandler, RankOutlet {
    IdealCluster& owner;
    TargetId target;
    RankExecutor executor;
    Ps wire_free{};
    std::uint64_t bytes_sent = 0, order = 0;
    std::vector<Delivery> inbox;  // min-heap
    std::vector<Ps> posted;

    Rank(IdealCluster& o, std::uint32_t r)
        : owner(o),
          target(o.wheel_.add_targets(*this, 1, this, 0)),
          executor(r, o.plan_, o.library_, o.options_.op_overhead, o.recorder_, *this) {}

    Ps now() const override { return owner.wheel_.now(); }
    void wake_at(Ps time) override { owner.wheel_.post(time, target, kWake); }
    void write(std::uint32_t to, std::uint64_t bytes, std::uint64_t cookie,
               const Immediate& immediate) override {
      bytes_sent += bytes;
      wire_free = std::max(wire_free, now()) + Ps{bytes * owner.options_.ps_per_byte};
      const Ps arrival = wire_free + owner.options_.latency;
      const std::uint32_t self = executor.rank();
      owner.ranks_[to]->deliver({arrival, 0, self, false, bytes, cookie, immediate});
      deliver({arrival + owner.options_.latency, 0, self, true, bytes, cookie, immediate});
    }
    void deliver(Delivery delivery) {
      delivery.order = order++;
      inbox.push_back(delivery);
      std::push_heap(inbox.begin(), inbox.end(), std::greater<>{});
      if (std::find(posted.begin(), posted.end(), delivery.time) == posted.end()) {
        posted.push_back(delivery.time);
        owner.wheel_.post(delivery.time, target, kTransport);
      }
    }
    void handle(Event event) override {
      if (event.kind() == kStart) return executor.start();
      if (event.kind() == kWake) return executor.wake();
      posted.erase(std::find(posted.begin(), posted.end(), now()));
      while (!inbox.empty() && inbox.front().time == now()) {
        std::pop_heap(inbox.begin(), inbox.end(), std::greater<>{});
        const Delivery delivery = inbox.back();
        inbox.pop_back();
        if (delivery.ack) {
          executor.acked(delivery.cookie);
        } else {
          executor.received(delivery.bytes, delivery.immediate);
        }
      }
    }
  };

  Options options_;
  WorkloadPlan plan_;
  CollectiveLibrary library_;
  EventWheel wheel_;
  RunRecorder recorder_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<const RankExecutor*> executors_;
};

/// Builds streams op by op; keeps bytes_in of the ledger.
class WorkloadBuilder {
 public:
  explicit WorkloadBuilder(std::uint32_t ranks) {
    workload_.ranks.resize(ranks);
    workload_.source = "test";
  }
  std::uint32_t group(std::string name, std::vector<std::uint32_t> ranks) {
    workload_.groups.push_back({std::move(name), std::move(ranks)});
    return static_cast<std::uint32_t>(workload_.groups.size() - 1);
  }
  /// Adds an op after `deps`; returns its index in the rank's stream.
  std::uint32_t add(std::uint32_t rank, Op op, const std::vector<std::uint32_t>& deps = {}) {
    RankStream& stream = workload_.ranks[rank];
    op.first_dep = static_cast<std::uint32_t>(stream.deps.size());
    op.dep_count = static_cast<std::uint32_t>(deps.size());
    stream.deps.insert(stream.deps.end(), deps.begin(), deps.end());
    stream.ops.push_back(op);
    workload_.ledger.bytes_in += bytes_put_in(workload_, rank, op);
    return static_cast<std::uint32_t>(stream.ops.size() - 1);
  }
  /// Adds an op after the last one of the stream.
  std::uint32_t chain(std::uint32_t rank, const Op& op) {
    const auto count = static_cast<std::uint32_t>(workload_.ranks[rank].ops.size());
    return count == 0 ? add(rank, op) : add(rank, op, {count - 1});
  }
  Workload& workload() { return workload_; }

  static Op collective(OpKind kind, std::uint32_t group, std::uint64_t bytes,
                       std::uint32_t root = 0) {
    Op op;
    op.kind = kind;
    op.group = group;
    op.bytes = bytes;
    op.peer = root;
    return op;
  }
  static Op message(OpKind kind, std::uint32_t peer, std::uint64_t bytes, std::uint32_t tag = 0) {
    Op op;
    op.kind = kind;
    op.peer = peer;
    op.bytes = bytes;
    op.tag = tag;
    return op;
  }
  static Op compute(Ps time) {
    Op op;
    op.compute = time;
    return op;
  }

 private:
  Workload workload_;
};

}  // namespace sluice

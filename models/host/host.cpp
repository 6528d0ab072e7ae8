// SPDX-License-Identifier: Apache-2.0
#include "host/host.h"

#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {

Host::Host(sc_core::sc_module_name name, const HostParams& params, const HostContext& context,
           std::uint32_t rank)
    : sc_module(name), wheel_(context.wheel), endpoint_of_rank_(context.endpoint_of_rank) {
  client.bind(*this);
  target_ = wheel_.add_targets(*this, 1, this, 0);
  if (rank == kNoRank) return;
  params.validate();
  RankOutlet& outlet = *this;  // a private base, which make_unique could not reach
  executor_ = std::make_unique<RankExecutor>(rank, context.plan, context.library,
                                             params.op_overhead, context.recorder, outlet);
  RandomStream random(context.seed, rank, RandomPurpose::kStartJitter);
  start_time_ = Ps{random.below(static_cast<std::uint32_t>(params.start_jitter.value) + 1)};
}

void Host::start_of_simulation() {
  if (executor_ != nullptr && executor_->op_count() != 0) wheel_.post(start_time_, target_, kStart);
  if (verbs_ != nullptr) wheel_.post(verbs_->next_post(), target_, kPost);
}

void Host::post_verbs(const std::vector<VerbsOperation>& operations) {
  if (!operations.empty()) verbs_ = std::make_unique<VerbsSource>(operations);
}

void Host::post_due() {
  for (const WorkRequest& request : verbs_->due(wheel_.now())) nic->post(request);
  const Ps next = verbs_->next_post();
  if (next != kNever) wheel_.post(next, target_, kPost);
}

void Host::on_completion(const Completion& completion) {
  SLUICE_CHECK(verbs_ != nullptr, "{}: a work request ended that was never posted", name());
  verbs_->ended(completion, wheel_.now());
}

/// A list of work requests says how each ended; a rank cannot go on without its write.
void Host::on_qp_error(const std::string& reason) {
  if (verbs_ == nullptr) return NicClient::on_qp_error(reason);
  verbs_->failed(reason);
}

void Host::handle(Event event) {
  if (event.kind() == kStart) {
    executor_->start();
  } else if (event.kind() == kPost) {
    post_due();
  } else {
    executor_->wake();
  }
}

void Host::on_write_acked(std::uint64_t cookie) { executor_->acked(cookie); }

void Host::on_write_received(std::uint32_t source, std::uint64_t bytes,
                             const Immediate& immediate) {
  SLUICE_CHECK(executor_ != nullptr, "{}: {} B from endpoint {} reached a host without a rank",
               name(), bytes, source);
  executor_->received(bytes, immediate);
}

void Host::write(std::uint32_t to_rank, std::uint64_t bytes, std::uint64_t cookie,
                 const Immediate& immediate) {
  nic->post_write({endpoint_of_rank_[to_rank], bytes, cookie, immediate});
}

void Host::wake_at(Ps time) { wheel_.post(time, target_, kWake); }

}  // namespace sluice

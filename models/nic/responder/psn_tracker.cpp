// SPDX-License-Identifier: Apache-2.0
#include "nic/responder/psn_tracker.h"

#include <algorithm>
#include <bit>

namespace sluice {

PsnTracker::Decision PsnTracker::on_packet(const PsnTrackerConfig& config, std::uint32_t psn,
                                           std::uint32_t span) {
  Decision decision;
  if (accept_plain(psn)) {
    plain_psn_ = psn_add(psn, span);
    return decision;
  }
  const std::uint32_t expected = this->expected();
  const std::uint32_t ahead = psn_distance(psn, expected);
  if (ahead >= kPsnWindow) {
    decision.verdict = Verdict::kDuplicate;
    return decision;
  }
  if (!config.keeps_early) {
    decision.verdict = Verdict::kOutOfOrder;
    decision.nak = !nak_sent_;
    decision.nak_psn = expected;
    nak_sent_ = true;
    return decision;
  }
  const std::uint32_t room =
      ahead == 0 ? psn_distance(end_, expected_) : config.window - std::min(ahead, config.window);
  if (span > room) {
    decision.verdict = Verdict::kOutOfWindow;
    return decision;
  }
  if (!has_gaps()) {
    if (bits_.empty()) bits_.resize(config.window / 64);
    expected_ = end_ = judged_ = expected;
    plain_psn_ = kGaps;
  }
  if (ahead == 0) {
    take_expected(config, span);
  } else if (bit(config, psn)) {
    decision.verdict = Verdict::kDuplicate;
    return decision;
  } else {
    decision.verdict = Verdict::kEarly;
    keep(config, psn, span);
  }
  if (has_gaps()) judge(config, decision);
  return decision;
}

/// A packet ahead of the expected one.
void PsnTracker::keep(const PsnTrackerConfig& config, std::uint32_t psn, std::uint32_t span) {
  for (std::uint32_t i = 0; i < span; ++i) set_bit(config, psn_add(psn, i));
  const std::uint32_t after = psn_add(psn, span);
  if (psn_distance(after, expected_) > psn_distance(end_, expected_)) end_ = after;
}

std::uint32_t PsnTracker::go_back(const PsnTrackerConfig& config, std::uint32_t psn) {
  std::uint32_t came = psn_distance(expected(), psn);
  for (; has_gaps() && end_ != expected_; end_ = psn_add(end_, kPsnMask)) {
    const std::uint32_t last = psn_add(end_, kPsnMask);
    if (last == expected_ || !bit(config, last)) continue;
    clear_bit(config, last);
    ++came;
  }
  plain_psn_ = psn;
  return came;
}

/// The expected packet, and all that were kept right behind it. Of its own PSNs none has come
/// unless a requester uses some twice.
void PsnTracker::take_expected(const PsnTrackerConfig& config, std::uint32_t span) {
  const std::uint32_t judged = psn_distance(judged_, expected_);
  std::uint32_t taken = span;
  for (std::uint32_t i = 1; i < span; ++i) clear_bit(config, psn_add(expected_, i));
  expected_ = psn_add(expected_, span);
  for (; expected_ != end_ && bit(config, expected_); ++taken) {
    clear_bit(config, expected_);
    expected_ = psn_add(expected_, 1);
  }
  if (taken > judged) judged_ = expected_;
  nak_sent_ = false;
  if (expected_ == end_) plain_psn_ = expected_;
}

/// Asks for what is missing and has been overtaken by enough packets, at most kNakBits PSNs of it.
void PsnTracker::judge(const PsnTrackerConfig& config, Decision& decision) {
  const std::uint32_t kept = psn_distance(end_, expected_);  // at least 2: a gap and a packet
  if (kept <= config.reorder_packets) return;
  const std::uint32_t limit = kept - config.reorder_packets;  // offsets before it are overdue
  if (!config.selective) {
    decision.nak = !nak_sent_;
    decision.nak_psn = expected_;
    nak_sent_ = true;
    return;
  }
  const std::uint32_t from = psn_distance(judged_, expected_);
  if (from >= limit) return;
  const std::uint32_t to = std::min(limit, from + kNakBits);
  std::uint64_t lost = 0;
  for (std::uint32_t i = from; i < to; ++i) {
    if (!bit(config, psn_add(expected_, i))) lost |= std::uint64_t{1} << (i - from);
  }
  const std::uint32_t first = judged_;
  judged_ = psn_add(expected_, to);
  if (lost == 0) return;
  const auto skip = static_cast<std::uint32_t>(std::countr_zero(lost));
  decision.nak = true;
  decision.nak_psn = psn_add(first, skip);
  decision.lost = lost >> skip;
}

bool PsnTracker::has(const PsnTrackerConfig& config, std::uint32_t psn) const {
  const std::uint32_t ahead = psn_distance(psn, expected());
  if (ahead >= kPsnWindow) return true;
  if (!has_gaps() || ahead == 0 || ahead >= psn_distance(end_, expected_)) return false;
  return bit(config, psn);
}

std::uint64_t PsnTracker::received(const PsnTrackerConfig& config) const {
  std::uint64_t map = 0;
  if (!has_gaps()) return map;
  for (std::uint32_t i = 1; i < kSackBits; ++i) {
    if (has(config, psn_add(expected_, i))) map |= std::uint64_t{1} << i;
  }
  return map;
}

void PsnTracker::show(const PsnTrackerConfig& config, const View& view) {
  plain_psn_ = kGaps;
  nak_sent_ = false;
  expected_ = view.expected;
  judged_ = psn_add(view.expected, view.asked ? 1 : 0);
  end_ = psn_add(view.expected, kSackBits);
  if (!config.keeps_early) return;
  bits_.assign(config.window / 64, 0);
  for (std::uint32_t i = 0; i < kSackBits; ++i) {
    if ((view.received >> i & 1) != 0) set_bit(config, psn_add(expected_, i));
  }
}

}  // namespace sluice

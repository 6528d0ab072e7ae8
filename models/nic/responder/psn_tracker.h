// SPDX-License-Identifier: Apache-2.0
// What the receiving end of one QP knows of its packet sequence: expected PSN, a bitmap of packets
// that came ahead of it, and the decision for each packet. Self-contained: PSNs in, decisions out.
// Leaves out: what the packets mean, and when an ACK is due (responder.h).
#pragma once

#include <cstdint>
#include <vector>

#include "nic/psn.h"

namespace sluice {

/// What all trackers of a NIC share.
struct PsnTrackerConfig {
  /// Packets ahead of the expected one are kept. False: plain go-back-N, they are dropped.
  bool keeps_early = false;
  /// A gap asks for the missing packets alone; false: for all from the expected one on.
  bool selective = false;
  /// PSNs from the expected one on that may be kept: a power of two, 64 to 2^16.
  std::uint32_t window = 1024;
  /// A packet is lost when one so many or more PSNs after it has come; 1: any gap is a loss.
  std::uint32_t reorder_packets = 1;
};

class PsnTracker {
 public:
  enum class Verdict : std::uint8_t {
    kInOrder,      ///< the expected packet
    kEarly,        ///< ahead of it, and kept
    kDuplicate,    ///< has come before
    kOutOfOrder,   ///< ahead of it, and dropped
    kOutOfWindow,  ///< too far ahead of it to be kept
  };
  struct Decision {
    Verdict verdict = Verdict::kInOrder;
    bool nak = false;
    /// First packet asked for; all before it need nothing (selective: are asked for already).
    std::uint32_t nak_psn = 0;
    /// Selective: bit i asks for nak_psn + i; bit 0 is set.
    std::uint64_t lost = 0;
  };
  /// What a responder asks of a tracker beside decisions.
  struct View {
    std::uint32_t expected = 0;
    bool asked = false;          ///< asked_for_expected()
    std::uint64_t received = 0;  ///< received()
  };
  /// PSNs that one NAK, one decision, looks at.
  static constexpr std::uint32_t kNakBits = 64;
  /// PSNs that received() tells of.
  static constexpr std::uint32_t kSackBits = 40;

  explicit PsnTracker(std::uint32_t first_psn = 0)
      : plain_psn_(first_psn), expected_(first_psn), end_(first_psn), judged_(first_psn) {}

  /// Takes `psn` if it is expected and nothing is ahead of it; otherwise false, nothing done.
  bool accept_plain(std::uint32_t psn) {
    if (psn != plain_psn_) return false;
    plain_psn_ = psn_add(psn, 1);
    nak_sent_ = false;
    return true;
  }
  /// Takes any packet; a READ request stands for `span` PSNs, those of its answer.
  Decision on_packet(const PsnTrackerConfig& config, std::uint32_t psn, std::uint32_t span = 1);

  /// `psn` is expected again, as if nothing from it on had come. Returns how many PSNs had.
  std::uint32_t go_back(const PsnTrackerConfig& config, std::uint32_t psn);
  /// What follows the expected packet is dropped without a NAK, which the caller has sent.
  void silence() { nak_sent_ = true; }

  /// All packets before it have come.
  std::uint32_t expected() const { return plain_psn_ <= kPsnMask ? plain_psn_ : expected_; }
  /// Packets are missing before some that have come.
  bool has_gaps() const { return plain_psn_ > kPsnMask; }
  /// The expected packet was asked for and has not come yet.
  bool asked_for_expected() const {
    return has_gaps() ? judged_ != expected_ || nak_sent_ : nak_sent_;
  }
  /// Bit i: expected + i has come. Nothing beyond the window of a tracker that keeps packets.
  std::uint64_t received(const PsnTrackerConfig& config) const;
  /// Whether `psn`, in the window, has come.
  bool has(const PsnTrackerConfig& config, std::uint32_t psn) const;
  /// PSNs from the expected one to the last that has come; 0 without gaps.
  std::uint32_t kept() const { return has_gaps() ? psn_distance(end_, expected_) : 0; }
  /// Of those the first so many were judged lost or not.
  std::uint32_t judged() const { return has_gaps() ? psn_distance(judged_, expected_) : 0; }
  View view(const PsnTrackerConfig& config) const {
    return {expected(), asked_for_expected(), config.keeps_early ? received(config) : 0};
  }

  /// Stands for a tracker that is kept elsewhere: answers what View has, takes no packets.
  void show(const PsnTrackerConfig& config, const View& view);

 private:
  static constexpr std::uint32_t kGaps = UINT32_MAX;

  bool bit(const PsnTrackerConfig& config, std::uint32_t psn) const {
    const std::uint32_t at = psn & (config.window - 1);
    return (bits_[at / 64] >> (at % 64) & 1) != 0;
  }
  void set_bit(const PsnTrackerConfig& config, std::uint32_t psn) {
    const std::uint32_t at = psn & (config.window - 1);
    bits_[at / 64] |= std::uint64_t{1} << (at % 64);
  }
  void clear_bit(const PsnTrackerConfig& config, std::uint32_t psn) {
    const std::uint32_t at = psn & (config.window - 1);
    bits_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
  }
  void take_expected(const PsnTrackerConfig& config, std::uint32_t span);
  void keep(const PsnTrackerConfig& config, std::uint32_t psn, std::uint32_t span);
  void judge(const PsnTrackerConfig& config, Decision& decision);

  std::uint32_t plain_psn_;          ///< expected when nothing is ahead of it, else kGaps
  std::uint32_t expected_;           ///< while there are gaps
  std::uint32_t end_;                ///< after the last packet kept, likewise
  std::uint32_t judged_;             ///< gaps before it are asked for, likewise
  bool nak_sent_ = false;            ///< not selective: silent until the expected packet comes
  std::vector<std::uint64_t> bits_;  ///< PSN modulo the window; made at the first gap
};

}  // namespace sluice

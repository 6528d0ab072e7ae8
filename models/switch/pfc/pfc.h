// SPDX-License-Identifier: Apache-2.0
// Priority-based flow control (IEEE 802.1Qbb) of a chip's ports: pause timers of the obeying side
// and the XOFF state, refresh and counters of the sending side. Plain C++, time is an argument.
// Leaves out: the frame's transmission and reaction delay (port, link), the watchdog.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/parameter.h"

namespace sluice {

inline constexpr std::uint32_t kPriorities = 8;

struct PfcParams {
  bool enabled = true;
  std::uint32_t quanta = 65535;
  std::uint32_t refresh_percent = 50;  ///< an XOFF is repeated after this part of its pause time
  Ps resp_time{200000};                ///< PFC frame decoded to transmitter stopped

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

/// What a PFC frame says: the classes and one pause time for all of them.
struct PfcFrame {
  std::uint8_t class_enable = 0;  ///< 0: there is no frame to send
  std::uint16_t quanta = 0;       ///< 0: XON
  bool empty() const { return class_enable == 0; }
};

/// Counters of one priority of one port; plain records so that statistics can register them.
struct PfcRxCounters {
  std::uint64_t xoff_frames = 0;
  std::uint64_t xon_frames = 0;
  std::uint64_t ignored_frames = 0;  ///< named a priority that is not lossless here
  std::uint64_t paused_ps = 0;       ///< time under pause up to the last event; see settle()
};
struct PfcTxCounters {
  std::uint64_t xoff_frames = 0;
  std::uint64_t xon_frames = 0;
};

/// The side that obeys: pause timers per (port, priority). Its decisions may come from elsewhere
/// (an RTL twin); what is counted about them is counted here.
class PfcReceiver {
 public:
  /// `rates`: one a port; `lossless`: mask of priorities that obey, one a port.
  PfcReceiver(std::vector<BitsPerSecond> rates, std::vector<std::uint8_t> lossless);
  virtual ~PfcReceiver() = default;
  PfcReceiver(const PfcReceiver&) = delete;
  PfcReceiver& operator=(const PfcReceiver&) = delete;

  /// A frame takes effect now. A new time overrides the old one, 0 resumes at once.
  virtual void receive(std::uint32_t port, PfcFrame frame, Ps now);
  /// Mask of priorities under pause at `now`; a pause that ends at `now` has ended.
  std::uint8_t paused(std::uint32_t port, Ps now) {
    return loaded_[port] == 0 ? std::uint8_t{0} : paused_slow(port, now);
  }
  /// Earliest end of a pause that runs at `now`, kNever if none: look at the port again then.
  Ps next_resume(std::uint32_t port, Ps now) const;
  /// Brings paused_ps up to `now` (end of run, reports).
  void settle(Ps now);
  void settle(std::uint32_t port, Ps now);

  const PfcRxCounters& counters(std::uint32_t port, std::uint32_t priority) const {
    return counters_[port * kPriorities + priority];
  }
  const std::vector<PfcRxCounters>& all_counters() const { return counters_; }
  Ps until(std::uint32_t port, std::uint32_t priority) const {
    return timers_[port * kPriorities + priority].until;
  }

 protected:
  /// Mask of `port`, some of whose timers may still run.
  virtual std::uint8_t paused_slow(std::uint32_t port, Ps now);
  /// Notes that a frame of `quanta` stops `priority` until `until`, or that it was ignored.
  void load(std::uint32_t port, std::uint32_t priority, std::uint16_t quanta, Ps now, Ps until);
  void ignore(std::uint32_t port, std::uint32_t priority) {
    ++counters_[port * kPriorities + priority].ignored_frames;
  }
  /// Notes that of the timers of `port` only those in `running` still run; gives `running` back.
  std::uint8_t expire(std::uint32_t port, std::uint8_t running, Ps now);

 private:
  struct Timer {
    Ps since{};  ///< paused_ps is counted up to here
    Ps until{};
  };
  void account(std::uint32_t index, Ps now);

  std::vector<std::uint8_t> loaded_;  ///< priorities whose timer may still run
  std::vector<Timer> timers_;
  std::vector<PfcRxCounters> counters_;
  std::vector<std::uint8_t> lossless_;
  std::vector<BitsPerSecond> rates_;
};

/// The side that pauses its peer: which priorities are XOFF, and when to say so again. Like the
/// receiver, its decisions may come from elsewhere.
class PfcSender {
 public:
  PfcSender(const PfcParams& params, const std::vector<BitsPerSecond>& rates);
  virtual ~PfcSender() = default;
  PfcSender(const PfcSender&) = delete;
  PfcSender& operator=(const PfcSender&) = delete;

  /// The MMU moved a PG into XOFF: the frame to send now (all XOFF classes of the port).
  virtual PfcFrame xoff(std::uint32_t port, std::uint32_t priority, Ps now);
  /// The MMU moved a PG out of XOFF: the XON frame to send now.
  virtual PfcFrame xon(std::uint32_t port, std::uint32_t priority);
  /// The repeated XOFF when it is due at `now`, else an empty frame.
  virtual PfcFrame refresh(std::uint32_t port, Ps now);
  /// When the next refresh is due, kNever while nothing is XOFF.
  Ps refresh_due(std::uint32_t port) const { return due_[port]; }

  std::uint8_t xoff_mask(std::uint32_t port) const { return xoff_[port]; }
  const PfcTxCounters& counters(std::uint32_t port, std::uint32_t priority) const {
    return counters_[port * kPriorities + priority];
  }
  const std::vector<PfcTxCounters>& all_counters() const { return counters_; }
  /// Time from one XOFF of a port to its repetition.
  Ps refresh_interval(std::uint32_t port) const { return refresh_[port]; }

 protected:
  /// Takes over what was decided, counts the classes of `frame` and gives it back.
  PfcFrame note(std::uint32_t port, std::uint8_t xoff, Ps due, PfcFrame frame);

 private:
  PfcFrame xoff_frame(std::uint32_t port, std::uint8_t mask, Ps now);

  bool enabled_;
  std::uint16_t quanta_;
  std::vector<Ps> refresh_;  ///< interval, per port rate
  std::vector<Ps> due_;
  std::vector<std::uint8_t> xoff_;
  std::vector<PfcTxCounters> counters_;
};

}  // namespace sluice

// SPDX-License-Identifier: Apache-2.0
// The cell buffer of a chip in RTL, behind the interface of the C++ block.
// Leaves out: what stands around it in a chip (cell_buffer_swap.h).
#pragma once

#include <memory>
#include <optional>

#include "rtl/harness/rtl_options.h"
#include "switch/cell_buffer/cell_buffer.h"

namespace sluice::rtl {

class CellBufferTwin final : public CellBuffer {
 public:
  static constexpr unsigned kLatency = 1;  ///< clocks from a dequeue to its cell
  static constexpr std::uint32_t kMaxCells = 1u << 20;
  static constexpr std::uint32_t kMaxQueues = 4096;

  /// As make_cell_buffer. Throws ConfigError for more cells or queues than the RTL has.
  CellBufferTwin(const CellBufferParams& params, const RtlOptions& options);
  ~CellBufferTwin() override;

  bool full() const override;
  bool empty(std::uint32_t queue) const override;
  std::uint32_t used() const override;
  std::uint32_t enqueue(std::uint32_t queue, const CellWord& word) override;
  DequeuedCell dequeue(std::uint32_t queue) override;
  void release(std::uint32_t cell) override;

  /// What one clock asks for, in any combination.
  struct Inputs {
    struct Enqueue {
      std::uint32_t queue = 0;
      CellWord word;
    };
    std::optional<Enqueue> enqueue;
    std::optional<std::uint32_t> dequeue;  ///< queue
    std::optional<std::uint32_t> release;  ///< cell
  };
  /// The pins before the clock's edge, and behind it the cell of a dequeue of kLatency clocks ago.
  struct Outputs {
    bool enqueue_ready = false;
    std::uint32_t cell = 0;  ///< that an enqueue gets
    bool dequeue_ready = false;
    std::uint32_t used = 0;
    std::optional<DequeuedCell> out;
  };
  Outputs clock(const Inputs& in);
  std::uint64_t cycle() const;

 private:
  struct Rtl;
  std::unique_ptr<Rtl> rtl_;
};

}  // namespace sluice::rtl

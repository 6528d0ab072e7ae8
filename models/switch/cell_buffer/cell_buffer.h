// SPDX-License-Identifier: Apache-2.0
// Queues of cells in the shared memory of a chip: a free list and a linked list a queue, with a
// number for every cell. A chip counts cells only (switch/mmu); this is where they would lie.
// Leaves out: admission, the cells' data (switch/cell_memory).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace sluice {

struct CellBufferParams {
  std::uint32_t cells = 1u << 20;
  std::uint32_t queues = 4096;

  void validate() const;
};

/// What a cell carries through its queue.
struct CellWord {
  bool first = false;  ///< of its packet
  bool last = false;
  std::uint32_t tag = 0;
  bool operator==(const CellWord&) const = default;
};

struct DequeuedCell {
  std::uint32_t cell = 0;
  CellWord word;
  bool operator==(const DequeuedCell&) const = default;
};

/// A cell is free, then in a queue, then held by whoever dequeued it until it is released. The free
/// list hands out cells that came back before others, the one that waits longest first; while none
/// waits, the smallest number never used. Hardware does one operation of each kind a clock; what it
/// answers is that of dequeue, enqueue, release, one after the other. Misuse throws InvariantError.
class CellBuffer {
 public:
  virtual ~CellBuffer() = default;

  virtual bool full() const = 0;
  virtual bool empty(std::uint32_t queue) const = 0;
  /// Cells in queues, or not released yet.
  virtual std::uint32_t used() const = 0;
  /// A cell comes into a queue; its number. Not while full; the cells of a packet come into their
  /// queue with no other packet's between.
  virtual std::uint32_t enqueue(std::uint32_t queue, const CellWord& word) = 0;
  /// Not while the queue is empty.
  virtual DequeuedCell dequeue(std::uint32_t queue) = 0;
  virtual void release(std::uint32_t cell) = 0;
};

/// Throws ConfigError for a buffer without cells or queues.
std::unique_ptr<CellBuffer> make_cell_buffer(const CellBufferParams& params);

}  // namespace sluice

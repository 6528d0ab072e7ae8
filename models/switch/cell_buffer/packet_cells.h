// SPDX-License-Identifier: Apache-2.0
// Where a chip's packets lie, cell by cell, for a chip that is to be held to a real cell buffer.
// Leaves out: the buffer (cell_buffer.h) and whoever stands in (rtl/cell_buffer).
#pragma once

#include <cstdint>

namespace sluice {

/// Told of every packet that enters, leaves or has left the queues of one chip. Queues are those of
/// the chip: port * queues of a port + queue. Ordinary chips have none: they count cells.
class PacketCells {
 public:
  virtual ~PacketCells() = default;

  /// `packet` joins the end of `queue` in `cells` cells.
  virtual void enqueue(std::uint32_t queue, std::uint32_t packet, std::uint32_t cells) = 0;
  /// The first packet of `queue` leaves it; which one the buffer says. It must be `expected`.
  virtual std::uint32_t dequeue(std::uint32_t queue, std::uint32_t expected) = 0;
  /// The packet that left `queue` last needs its cells no longer.
  virtual void release(std::uint32_t queue) = 0;
  /// Cells in queues, or not released yet.
  virtual std::uint32_t used() const = 0;
};

}  // namespace sluice

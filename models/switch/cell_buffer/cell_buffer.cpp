// SPDX-License-Identifier: Apache-2.0
#include "switch/cell_buffer/cell_buffer.h"

#include <vector>

#include "kernel/error.h"

namespace sluice {
namespace {

/// Cells that came back wait in a ring as large as the memory.
class FreeList {
 public:
  explicit FreeList(std::uint32_t cells) : ring_(cells) {}

  bool empty() const { return waiting_ == 0 && fresh_ == ring_.size(); }
  std::uint32_t taken() const { return fresh_ - waiting_; }
  std::uint32_t take() {
    if (waiting_ == 0) return fresh_++;
    const std::uint32_t cell = ring_[read_];
    read_ = after(read_);
    --waiting_;
    return cell;
  }
  void give(std::uint32_t cell) {
    ring_[write_] = cell;
    write_ = after(write_);
    ++waiting_;
  }

 private:
  std::uint32_t after(std::uint32_t place) const {
    return place + 1 == ring_.size() ? 0 : place + 1;
  }

  std::vector<std::uint32_t> ring_;
  std::uint32_t read_ = 0;
  std::uint32_t write_ = 0;
  std::uint32_t waiting_ = 0;
  std::uint32_t fresh_ = 0;  ///< smallest number never used
};

class LinkedCellBuffer final : public CellBuffer {
 public:
  explicit LinkedCellBuffer(const CellBufferParams& params)
      : free_(params.cells), cells_(params.cells), queues_(params.queues) {}

  bool full() const override { return free_.empty(); }
  bool empty(std::uint32_t queue) const override { return !queues_.at(queue).filled; }
  std::uint32_t used() const override { return free_.taken(); }

  std::uint32_t enqueue(std::uint32_t queue, const CellWord& word) override {
    SLUICE_CHECK(!full(), "cell buffer: no cell is free for queue {}", queue);
    Queue& q = queues_.at(queue);
    SLUICE_CHECK(word.first != q.inside, "cell buffer: queue {}: a {} cell comes {} a packet",
                 queue, word.first ? "first" : "further", q.inside ? "inside" : "outside");
    const std::uint32_t number = free_.take();
    Cell& cell = cells_[number];
    cell.word = word;
    cell.where = Where::kQueue;
    (q.filled ? cells_[q.tail].next : q.head) = number;
    q.tail = number;
    q.filled = true;
    q.inside = !word.last;
    return number;
  }
  DequeuedCell dequeue(std::uint32_t queue) override {
    Queue& q = queues_.at(queue);
    SLUICE_CHECK(q.filled, "cell buffer: queue {} is empty", queue);
    const std::uint32_t number = q.head;
    Cell& cell = cells_[number];
    cell.where = Where::kHeld;
    q.head = cell.next;
    q.filled = number != q.tail;
    return {number, cell.word};
  }
  void release(std::uint32_t number) override {
    Cell& cell = cells_.at(number);
    SLUICE_CHECK(cell.where == Where::kHeld, "cell buffer: cell {} is released {}", number,
                 cell.where == Where::kFree ? "twice" : "while it is in a queue");
    cell.where = Where::kFree;
    free_.give(number);
  }

 private:
  enum class Where : std::uint8_t { kFree, kQueue, kHeld };
  struct Cell {
    std::uint32_t next = 0;  ///< of the same queue; means nothing at its tail
    CellWord word;
    Where where = Where::kFree;
  };
  struct Queue {
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    bool filled = false;
    bool inside = false;  ///< a packet whose last cell has not come
  };

  FreeList free_;
  std::vector<Cell> cells_;
  std::vector<Queue> queues_;
};

}  // namespace

void CellBufferParams::validate() const {
  if (cells == 0 || queues == 0) {
    throw ConfigError(fmt::format(
        "cell buffer: {} cells and {} queues, expected at least 1 of each", cells, queues));
  }
}

std::unique_ptr<CellBuffer> make_cell_buffer(const CellBufferParams& params) {
  params.validate();
  return std::make_unique<LinkedCellBuffer>(params);
}

}  // namespace sluice

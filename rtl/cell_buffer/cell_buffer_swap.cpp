// SPDX-License-Identifier: Apache-2.0
#include "rtl/cell_buffer/cell_buffer_swap.h"

#include <vector>

#include "rtl/cell_buffer/cell_buffer_twin.h"

namespace sluice::rtl {
namespace {

class CellBufferSwap final : public PacketCells {
 public:
  CellBufferSwap(const CellBufferParams& params, const BlockPlace& place, const SwapMode& mode)
      : watch_("cell_buffer", place, mode.record), held_(params.queues) {
    if (mode.rtl) twin_ = std::make_unique<CellBufferTwin>(params, mode.options);
    if (mode.compare || !mode.rtl) model_ = make_cell_buffer(params);
    if (watch_.records()) watch_.record(fmt::format("buffer {} {}", params.cells, params.queues));
  }

  void enqueue(std::uint32_t queue, std::uint32_t packet, std::uint32_t cells) override {
    watch_.next([=] { return fmt::format("enqueue {} {} {}", queue, packet, cells); });
    const auto text = [&] {
      return fmt::format("packet {} of {} cells into queue {}", packet, cells, queue);
    };
    for (std::uint32_t i = 0; i < cells; ++i) {
      const CellWord word{i == 0, i + 1 == cells, packet};
      const std::uint32_t model = model_ ? model_->enqueue(queue, word) : 0;
      if (!twin_) continue;
      const std::uint32_t rtl = watch_.ask([&] { return twin_->enqueue(queue, word); }, text);
      if (model_) watch_.expect("enq_cell_o", model, rtl, text);
    }
    if (twin_ && model_) watch_.expect("used_o", model_->used(), twin_->used(), text);
  }

  std::uint32_t dequeue(std::uint32_t queue, std::uint32_t expected) override {
    watch_.next([=] { return fmt::format("dequeue {}", queue); });
    const auto text = [&] { return fmt::format("a packet from queue {}", queue); };
    std::vector<std::uint32_t>& held = held_[queue];
    std::uint32_t packet = 0;
    for (bool last = false; !last;) {
      const DequeuedCell out = dequeue_cell(queue, text);
      if (out.word.first) packet = out.word.tag;
      if (out.word.first != held.empty()) {
        watch_.differ(fmt::format("out_first_o: {} in cell {} of the packet", out.word.first,
                                  held.size() + 1),
                      text());
      }
      held.push_back(out.cell);
      last = out.word.last;
    }
    if (packet != expected) {
      watch_.differ(
          fmt::format("out_tag_o: {}, the chip's own list has packet {}", packet, expected),
          text());
    }
    return packet;
  }

  void release(std::uint32_t queue) override {
    watch_.next([=] { return fmt::format("release {}", queue); });
    const auto text = [&] {
      return fmt::format("{} cells that left queue {}", held_[queue].size(), queue);
    };
    for (const std::uint32_t cell : held_[queue]) {
      if (model_) model_->release(cell);
      if (twin_) watch_.ask([&] { twin_->release(cell); }, text);
    }
    if (twin_ && model_) watch_.expect("used_o", model_->used(), twin_->used(), text);
    held_[queue].clear();
  }

  std::uint32_t used() const override { return twin_ ? twin_->used() : model_->used(); }

 private:
  template <class Text>
  DequeuedCell dequeue_cell(std::uint32_t queue, const Text& text) {
    if (!twin_) return model_->dequeue(queue);
    const DequeuedCell rtl = watch_.ask([&] { return twin_->dequeue(queue); }, text);
    if (model_) {
      const DequeuedCell model = model_->dequeue(queue);
      watch_.expect("out_cell_o", model.cell, rtl.cell, text);
      watch_.expect("out_first_o", model.word.first, rtl.word.first, text);
      watch_.expect("out_last_o", model.word.last, rtl.word.last, text);
      watch_.expect("out_tag_o", model.word.tag, rtl.word.tag, text);
    }
    return rtl;
  }

  Watch watch_;
  std::unique_ptr<CellBuffer> model_;     ///< null: not compared
  std::unique_ptr<CellBufferTwin> twin_;  ///< null: requests are recorded only
  /// Cells of the packet that left each queue last, until it is released.
  std::vector<std::vector<std::uint32_t>> held_;
};

}  // namespace

std::unique_ptr<PacketCells> swap_cell_buffer(const CellBufferParams& params,
                                              const BlockPlace& place, const SwapMode& mode) {
  return std::make_unique<CellBufferSwap>(params, place, mode);
}

}  // namespace sluice::rtl

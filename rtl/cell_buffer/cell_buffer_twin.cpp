// SPDX-License-Identifier: Apache-2.0
#include "rtl/cell_buffer/cell_buffer_twin.h"

#include <Vcell_buffer.h>
#include <Vcell_buffer_cell_buffer.h>

#include "kernel/error.h"
#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {

struct CellBufferTwin::Rtl : RtlModel<Vcell_buffer> {
  using RtlModel::RtlModel;
};

static_assert(Vcell_buffer_cell_buffer::Cells == CellBufferTwin::kMaxCells);
static_assert(Vcell_buffer_cell_buffer::Queues == CellBufferTwin::kMaxQueues);

CellBufferTwin::CellBufferTwin(const CellBufferParams& params, const RtlOptions& options)
    : rtl_(std::make_unique<Rtl>(options)) {
  params.validate();
  if (params.cells > kMaxCells || params.queues > kMaxQueues) {
    throw ConfigError(fmt::format("cell_buffer in RTL: {} cells and {} queues, it has {} and {}",
                                  params.cells, params.queues, kMaxCells, kMaxQueues));
  }
  Vcell_buffer& pins = rtl_->pins();
  pins.cells_i = params.cells;
  pins.enq_valid_i = pins.deq_valid_i = pins.rel_valid_i = 0;
  rtl_->reset();
}

CellBufferTwin::~CellBufferTwin() = default;

CellBufferTwin::Outputs CellBufferTwin::clock(const Inputs& in) {
  Vcell_buffer& pins = rtl_->pins();
  pins.enq_valid_i = in.enqueue.has_value();
  if (in.enqueue) {
    pins.enq_queue_i = static_cast<std::uint16_t>(in.enqueue->queue);
    pins.enq_first_i = in.enqueue->word.first;
    pins.enq_last_i = in.enqueue->word.last;
    pins.enq_tag_i = in.enqueue->word.tag;
  }
  pins.deq_valid_i = in.dequeue.has_value();
  if (in.dequeue) pins.deq_queue_i = static_cast<std::uint16_t>(*in.dequeue);
  pins.rel_valid_i = in.release.has_value();
  if (in.release) pins.rel_cell_i = *in.release;
  rtl_->settle();
  Outputs out{pins.enq_ready_o != 0, pins.enq_cell_o, pins.deq_ready_o != 0, pins.used_o, {}};
  rtl_->tick();
  if (pins.out_valid_o) {
    out.out = DequeuedCell{pins.out_cell_o,
                           {pins.out_first_o != 0, pins.out_last_o != 0, pins.out_tag_o}};
  }
  pins.enq_valid_i = pins.deq_valid_i = pins.rel_valid_i = 0;
  return out;
}

bool CellBufferTwin::full() const { return rtl_->pins().enq_ready_o == 0; }

bool CellBufferTwin::empty(std::uint32_t queue) const {
  rtl_->pins().deq_queue_i = static_cast<std::uint16_t>(queue);
  rtl_->settle();
  return rtl_->pins().deq_ready_o == 0;
}

std::uint32_t CellBufferTwin::used() const { return rtl_->pins().used_o; }

std::uint32_t CellBufferTwin::enqueue(std::uint32_t queue, const CellWord& word) {
  Inputs in;
  in.enqueue = Inputs::Enqueue{queue, word};
  const Outputs out = clock(in);
  if (!out.enqueue_ready) throw RtlError("no cell is free");
  return out.cell;
}

DequeuedCell CellBufferTwin::dequeue(std::uint32_t queue) {
  Inputs in;
  in.dequeue = queue;
  const Outputs out = clock(in);
  if (!out.dequeue_ready) throw RtlError(fmt::format("queue {} is empty", queue));
  if (!out.out) throw RtlError(fmt::format("no cell {} clock after a dequeue", kLatency));
  return *out.out;
}

void CellBufferTwin::release(std::uint32_t cell) {
  Inputs in;
  in.release = cell;
  clock(in);
}

std::uint64_t CellBufferTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl

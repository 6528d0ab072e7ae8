// SPDX-License-Identifier: Apache-2.0
#include "switch/pipe/pipe_params.h"

#include "kernel/error.h"

namespace sluice {

void PipeParams::describe(ParameterVisitor& v) {
  v.visit("count", count, {1, 64}, {"ingress pipelines of the chip", "Tomahawk 5: 16; estimate"});
  v.visit("lanes_per_pipe", lanes_per_pipe, {1, 512},
          {"SerDes lanes that a pipeline serves", "512 lanes over 16 pipes"});
  v.visit("packets_per_second", packets_per_second, {1e6, 1e11},
          {"packets that one pipeline classifies a second",
           "data sheets of Tomahawk 5 boxes: 21.2 Gpps over 16 pipes", "1/s"});
  v.visit("fifo_packets", fifo_packets, {1, 4096},
          {"packets that wait before a pipeline; more are dropped, lossless ones too", "estimate",
           "packets"});
  v.visit("slice_of_pipe", slice_of_pipe, {0, 3},
          {"buffer slice behind each pipe, where lanes are known; empty: ports in equal parts",
           "Tomahawk 5: pipes 0-3 and 12-15 on slice 0, 4-11 on slice 1 (public settings files)"});
}

void PipeParams::validate() const {
  if (count == 0 || lanes_per_pipe == 0) {
    throw ConfigError("pipes.count and pipes.lanes_per_pipe: 0, expected at least 1");
  }
  if (packets_per_second < 1'000'000 || packets_per_second > 100'000'000'000) {
    throw ConfigError(
        fmt::format("pipes.packets_per_second: {}, expected 1e6 to 1e11", packets_per_second));
  }
  if (!slice_of_pipe.empty() && slice_of_pipe.size() != count) {
    throw ConfigError(
        fmt::format("pipes.slice_of_pipe: {} entries, expected one for each of {} pipes",
                    slice_of_pipe.size(), count));
  }
  if (fifo_packets == 0) throw ConfigError("pipes.fifo_packets: 0, expected at least 1");
}

}  // namespace sluice

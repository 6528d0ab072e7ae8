// SPDX-License-Identifier: Apache-2.0
// One round of egress_scheduler, combinational: strict queues first, else deficit-weighted round
// robin among the queues that may send, with the deficits and the turn that it leaves. Also what a
// queue loses that has become empty. Leaves out: who may send, how rounds follow each other.
`default_nettype none
`include "sluice_fault.svh"
module scheduler_round #(
  localparam int unsigned Lanes       = 8,
  localparam int unsigned BytesBits   = 14,
  localparam int unsigned QuantumBits = 23,
  localparam int unsigned DeficitBits = 24
) (
  // Request.
  input  wire logic [1:0]                   kind_i,         // pick, emptied, others
  input  wire logic [2:0]                   queue_i,
  input  wire logic [Lanes-1:0]             allowed_i,      // with a packet, not paused
  input  wire logic [Lanes-1:0]             held_i,         // by shapers
  input  wire logic [Lanes*BytesBits-1:0]   heads_i,
  input  wire logic [Lanes-1:0]             strict_i,
  input  wire logic [Lanes*QuantumBits-1:0] quanta_i,
  input  wire logic                         first_i,        // round of the request
  // State before.
  input  wire logic [Lanes*DeficitBits-1:0] deficits_i,
  input  wire logic [2:0]                   turn_i,
  input  wire logic                         granted_i,
  // State after; changed unless another round follows.
  output logic [Lanes*DeficitBits-1:0]      deficits_o,
  output logic [2:0]                        turn_o,
  output logic                              granted_o,
  output logic                              changes_o,
  // Answer.
  output logic                              done_o,         // no further round
  output logic                              none_o,
  output logic [2:0]                        queue_o
);
  `SLUICE_FAULT_DECL
  localparam logic [1:0] Pick = 2'd0, Emptied = 2'd1;
  localparam logic [DeficitBits-1:0] MaxDeficit = {DeficitBits{1'b1}};

  // Deficits with the quanta of this round, and who they cover.
  logic [Lanes-1:0]             eligible, strict_eligible, covered, visited;
  logic [Lanes*DeficitBits-1:0] raised;
  assign eligible        = allowed_i & ~held_i;
  assign strict_eligible = eligible & strict_i;
  for (genvar q = 0; q < Lanes; q++) begin : gen_lane
    logic                   has_grant, overflow;
    logic [DeficitBits-1:0] start, sum, grant, all, head;
    assign has_grant = first_i && `SLUICE_FAULT(9, granted_i, 1'b0) && turn_i == 3'(q);
    assign start     = deficits_i[q*DeficitBits +: DeficitBits];
    assign grant     = has_grant ? '0 : DeficitBits'(quanta_i[q*QuantumBits +: QuantumBits]);
    assign {overflow, sum} = {1'b0, start} + {1'b0, grant};
    assign all  = `SLUICE_FAULT(10, overflow, 1'b0) ? MaxDeficit : sum;
    assign head = DeficitBits'(heads_i[q*BytesBits +: BytesBits]);
    assign raised[q*DeficitBits +: DeficitBits] = all;
    assign covered[q] = eligible[q] && `SLUICE_FAULT(11, all >= head, all > head);
  end

  // The first covered queue from the turn on, and the queues whose turn comes before it.
  logic [Lanes-1:0] turned, ahead, first_one;
  logic [2:0]       winner;
  always_comb begin
    turned    = Lanes'({covered, covered} >> turn_i);
    first_one = turned & (~turned + 8'd1);
    ahead     = first_one - 8'd1;                      // all when there is none
    visited   = Lanes'({ahead, ahead} >> (4'd8 - {1'b0, turn_i}));
    winner    = turn_i;
    for (int i = 1; i < 8; i++) begin
      if (first_one[i]) winner = turn_i + 3'(i);
    end
  end

  logic [2:0] strict_queue;
  always_comb begin
    strict_queue = 3'd0;
    for (int i = 0; i < 8; i++) begin
      if (`SLUICE_FAULT(12, strict_eligible[i], strict_eligible[7 - i])) begin
        strict_queue = `SLUICE_FAULT(12, 3'(i), 3'(7 - i));
      end
    end
  end

  logic picks_turn;
  assign picks_turn = kind_i == Pick && eligible != '0 && strict_eligible == '0;
  assign done_o     = !picks_turn || covered != '0;
  assign changes_o  = picks_turn || kind_i == Emptied;
  assign none_o     = kind_i == Pick && eligible == '0;
  assign queue_o    = kind_i != Pick ? queue_i : strict_eligible != '0 ? strict_queue : winner;

  always_comb begin
    deficits_o = deficits_i;
    turn_o     = turn_i;
    granted_o  = granted_i;
    if (picks_turn) begin
      for (int q = 0; q < 8; q++) begin
        if (covered != '0 && winner == 3'(q)) begin
          deficits_o[q*DeficitBits +: DeficitBits] = raised[q*DeficitBits +: DeficitBits]
            - DeficitBits'(heads_i[q*BytesBits +: BytesBits]);
        end else if (visited[q] && eligible[q]) begin
          deficits_o[q*DeficitBits +: DeficitBits] = raised[q*DeficitBits +: DeficitBits];
        end
      end
      if (covered != '0) begin
        turn_o    = winner;
        granted_o = 1'b1;
      end
    end
    if (kind_i == Emptied) begin
      for (int q = 0; q < 8; q++) begin
        if (queue_i == 3'(q)) begin
          deficits_o[q*DeficitBits +: DeficitBits] =
            `SLUICE_FAULT(1, '0, deficits_i[q*DeficitBits +: DeficitBits]);
        end
      end
      if (`SLUICE_FAULT(14, turn_i == queue_i, 1'b0)) begin
        turn_o    = queue_i + 3'd1;
        granted_o = 1'b0;
      end
    end
  end
endmodule : scheduler_round
`resetall

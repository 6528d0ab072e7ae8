// SPDX-License-Identifier: Apache-2.0
// Scheduler and marker of the slice, which serve four egress ports, the lowest that asks first.
// Leaves out: shapers, pauses, drops on the curve.
`default_nettype none
module slice_service (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  // Configuration, at rest. Of egress_scheduler: one profile for all ports.
  input  wire logic         profile_valid_i,
  input  wire logic [7:0]   sched_strict_i,
  input  wire logic [183:0] sched_quanta_i,
  input  wire logic         sched_bucket_valid_i,
  input  wire logic [3:0]   sched_bucket_i,
  input  wire logic         sched_map_valid_i,
  input  wire logic [1:0]   sched_map_port_i,
  // Of wred_marker.
  input  wire logic         curve_valid_i,
  input  wire logic         curve_profile_i,
  input  wire logic         curve_enabled_i,
  input  wire logic [30:0]  curve_kmin_i,
  input  wire logic [30:0]  curve_kmax_i,
  input  wire logic         mark_map_valid_i,
  input  wire logic [4:0]   mark_map_queue_i,
  input  wire logic         mark_map_profile_i,
  // A choice is wanted, or a queue has become empty.
  input  wire logic [3:0]   sched_valid_i,
  input  wire logic [3:0]   sched_emptied_i,
  input  wire logic [11:0]  sched_queue_i,
  input  wire logic [31:0]  sched_waiting_i,
  input  wire logic [447:0] sched_heads_i,
  output logic [3:0]        sched_take_o,
  output logic [3:0]        chosen_o,
  output logic [2:0]        chosen_queue_o,
  // A packet is to be marked or not.
  input  wire logic [3:0]   mark_valid_i,
  input  wire logic [11:0]  mark_queue_i,
  input  wire logic [127:0] mark_depth_i,
  input  wire logic [3:0]   mark_ect_i,
  output logic [3:0]        mark_take_o,
  output logic [3:0]        marked_o,              // answered, three clocks later
  output logic              mark_o
);
  localparam int unsigned Ports = 4;

  // Choices; who asked, in the order of the answers.
  logic [1:0]            sched_port;
  logic                  sched_ready, sched_out;
  always_comb begin
    sched_port = '0;
    for (int unsigned e = 0; e < Ports; e++) begin
      if (sched_valid_i[Ports-1-e]) sched_port = 2'(Ports - 1 - e);
    end
    sched_take_o = '0;
    sched_take_o[sched_port] = sched_valid_i != '0 && sched_ready;
  end
  logic         unused_none, unused_granted;
  logic [191:0] unused_deficits;
  logic [2:0]   unused_turn;
  logic [7:0]   unused_held;
  logic [63:0]  unused_opens [2];
  egress_scheduler #(.Ports(Ports), .Profiles(2)) u_scheduler (
    .clk_i, .rst_ni, .profile_valid_i(profile_valid_i), .profile_profile_i(1'b0),
    .profile_strict_i(sched_strict_i), .profile_quanta_i(sched_quanta_i),
    .bucket_valid_i(sched_bucket_valid_i), .bucket_profile_i(1'b0),
    .bucket_index_i(sched_bucket_i), .bucket_rate_i('0), .bucket_burst_i('0), .bucket_byte_i('0),
    .map_valid_i(sched_map_valid_i), .map_port_i(sched_map_port_i), .map_profile_i(1'b0),
    .in_valid_i(sched_valid_i != '0), .in_ready_o(sched_ready),
    .in_kind_i(sched_emptied_i[sched_port] ? 2'd1 : 2'd0), .in_port_i(sched_port),
    .in_queue_i(sched_queue_i[32'(sched_port)*3 +: 3]),
    .in_waiting_i(sched_waiting_i[32'(sched_port)*8 +: 8]), .in_paused_i('0),
    .in_heads_i(sched_heads_i[32'(sched_port)*112 +: 112]), .in_bytes_i('0), .in_now_i('0),
    .out_valid_o(sched_out), .out_none_o(unused_none), .out_queue_o(chosen_queue_o),
    .out_deficits_o(unused_deficits), .out_turn_o(unused_turn), .out_granted_o(unused_granted),
    .out_held_o(unused_held), .out_queue_opens_o(unused_opens[0]),
    .out_port_opens_o(unused_opens[1]));
  logic [2:0] asked [8];                           // emptied, port
  logic [2:0] asked_read_q, asked_write_q;
  always_ff @(posedge clk_i) begin
    if (sched_take_o != '0) asked[asked_write_q] <= {sched_emptied_i[sched_port], sched_port};
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {asked_read_q, asked_write_q} <= '0;
    else begin
      if (sched_take_o != '0) asked_write_q <= asked_write_q + 1'b1;
      if (sched_out)        asked_read_q  <= asked_read_q + 1'b1;
    end
  end
  always_comb begin
    chosen_o = '0;
    chosen_o[asked[asked_read_q][1:0]] = sched_out && !asked[asked_read_q][2];
  end

  // Marks.
  logic [1:0]          mark_port;
  logic [1:0]          mark_of_q [3];
  logic                mark_out, unused_mark_drop;
  logic [31:0]         unused_length;
  always_comb begin
    mark_port = '0;
    for (int unsigned e = 0; e < Ports; e++) begin
      if (mark_valid_i[Ports-1-e]) mark_port = 2'(Ports - 1 - e);
    end
    mark_take_o = '0;
    mark_take_o[mark_port] = mark_valid_i != '0;
    marked_o = '0;
    marked_o[mark_of_q[2]] = mark_out;
  end
  always_ff @(posedge clk_i) begin
    mark_of_q[0] <= mark_port;
    for (int i = 1; i < 3; i++) mark_of_q[i] <= mark_of_q[i-1];
  end
  wred_marker #(.Queues(32), .Profiles(2)) u_marker (
    .clk_i, .rst_ni, .curve_valid_i, .curve_profile_i, .curve_enabled_i, .curve_drop_not_ect_i(1'b0),
    .curve_weight_i('0), .curve_kmin_i, .curve_kmax_i, .curve_pmax_i('0), .curve_drop_kmin_i('0),
    .curve_drop_kmax_i('0), .curve_drop_pmax_i('0), .map_valid_i(mark_map_valid_i),
    .map_queue_i(mark_map_queue_i), .map_profile_i(mark_map_profile_i),
    .in_valid_i(mark_valid_i != '0), .in_queue_i({mark_port, mark_queue_i[32'(mark_port)*3 +: 3]}),
    .in_bytes_i(mark_depth_i[32'(mark_port)*32 +: 32]), .in_random_i('0),
    .in_ect_i(mark_ect_i[mark_port]), .out_valid_o(mark_out), .out_mark_o(mark_o),
    .out_drop_o(unused_mark_drop), .out_length_o(unused_length));

  logic unused;
  assign unused = ^{unused_none, unused_granted, unused_deficits, unused_turn, unused_held,
                    unused_opens[0], unused_opens[1], unused_mark_drop, unused_length};
endmodule : slice_service
`resetall

# SPDX-License-Identifier: Apache-2.0
# What a NIC can be told: datagrams, a slow host, a window, the delay of CNPs. Closed forms only.
import csv

import sluice_case

FABRIC = """
fabric: {type: single_switch, hosts: 4, link: {rate: 400Gbps, length: 30m}}
switch: {preset: spectrum4, freq_offset_ppm: 0}
nic: {frequency_offset_ppm: 0}
"""
DATAGRAMS = FABRIC + """
workload:
  type: ud
  streams:
    - {source: 1, destination: 0, payload_bytes: 1000, rate: 45Gbps, frames: 100}
    - {source: 2, destination: 3, payload_bytes: 4096, stop: 50us}
"""
INCAST = FABRIC + "workload: {type: incast, dst: 0, first: 1, count: 2, bytes: 4MiB}\n"


class Nic(sluice_case.SluiceCase):
    def counters(self, directory, kind):
        with (self.scratch / directory / "counters.csv").open() as file:
            return {(row["entity"].split(".")[-1 if kind == "nic" else -2], row["counter"]):
                    int(row["value"]) for row in csv.DictReader(file) if row["kind"] == kind}

    def test_pauses_of_a_slow_receiver_carry_its_name(self):
        fabric = self.write("slow.yaml", """
fabric: {type: single_switch, hosts: 4, link: {rate: 400Gbps}}
nic: {preset: cx7}
nics: {host2: {rx_drain_percent: 50}}
workload: {type: permutation, bytes: 8MiB}
""")
        summary = self.run_json(fabric)
        self.assertEqual([nic["port"] for nic in summary["pausing_nics"]], ["fabric.nic2.port0"])
        # No other port pauses anybody: one sender never fills its switch.
        self.assertEqual(summary["pausing_nics"][0]["xoff_frames"], summary["pfc"]["xoff_frames"])
        self.assertGreater(summary["pfc"]["xoff_frames"], 0)
        self.assertIn("fabric.nic2.port0", self.sluice("run", fabric).stdout)
        as_fast = self.run_json(fabric, "--set", "nics.host2.rx_drain_percent=100")
        self.assertEqual(as_fast["pausing_nics"], [])

    def test_datagrams_are_counted_where_they_arrive(self):
        fabric = self.write("ud.yaml", DATAGRAMS)
        summary = self.run_json(fabric, "--out", "out")
        self.assertEqual(summary["verdict"], "ok")
        # 4096 + 62 + 8 + 20 B on the wire at 400 Gb/s: 83.72 ns each, due below 50 us.
        line_rate = 50_000_000 // 83_720 + 1
        self.assertEqual(summary["packets_delivered"], 100 + line_rate)
        self.assertEqual(summary["bytes_delivered"], 100 * 1000 + line_rate * 4096)
        self.assertEqual(summary["packet_hops"], 2 * summary["packets_delivered"])
        self.assertEqual(summary["ops"], [])
        nics = self.counters("out", "nic")
        self.assertEqual(nics["nic1", "datagrams_sent"], 100)
        self.assertEqual(nics["nic0", "datagrams_received"], 100)
        self.assertEqual(nics["nic3", "datagrams_received"], line_rate)

    def test_datagrams_without_end_need_until(self):
        fabric = self.write("ud.yaml", DATAGRAMS.replace(", stop: 50us", ""))
        self.assert_error(self.sluice("run", fabric), 2, "workload.streams.1", "--until")
        self.assertEqual(self.run_json(fabric, "--until", "20us")["verdict"], "stopped")

    def test_wrong_streams_are_refused_at_their_line(self):
        def refused(old, new, *parts):
            fabric = self.write("ud.yaml", DATAGRAMS.replace(old, new))
            self.assert_error(self.sluice("run", fabric), 2, *parts)
        refused("source: 1", "source: 4", "ud.yaml:9", "source", "4")
        refused("destination: 0", "destination: 1", "ud.yaml:9", "is the source itself")
        refused("rate: 45Gbps", "rate: 450Gbps", "ud.yaml:9", "more than the port's rate")
        refused("rate: 45Gbps", "ttl: 256", "ud.yaml:9", "ttl")
        refused("rate: 45Gbps", "tll: 16", "ud.yaml:9", "did you mean 'ttl'")
        refused("type: ud", "type: ud\n  bytes: 1MiB", "workload.bytes", "no effect with type ud")
        refused("nic: {", "nic: {mtu_bytes: 2048, ", "ud.yaml:10", "payload_bytes")

    def test_one_host_that_drains_half_gets_half(self):
        # From host 2 to host 3 at line rate.
        fabric = self.write("ud.yaml", DATAGRAMS.replace("stop: 50us", "stop: 1ms"))
        slow = self.run_json(fabric, "--set", "nics.host3.rx_drain_percent=50", "--until", "1ms",
                             "--out", "slow")
        got = self.counters("slow", "nic")["nic3", "datagrams_received"]
        self.assertAlmostEqual(got * 83.72e-9 / 1e-3, 0.5, delta=0.005)
        self.assertEqual(self.counters("slow", "nic")["nic0", "datagrams_received"], 100)
        port = self.counters("slow", "nic_port")
        self.assertGreater(port["nic3", "xoff_sent"], 10)
        self.assertGreaterEqual(slow["pfc"]["xoff_frames"], port["nic3", "xoff_sent"])
        self.assertEqual(slow["drops"]["total"], 0)
        same = self.run_json(fabric, "--set", "nics.host3.rx_drain_rate=200Gbps", "--until", "1ms")
        self.assertEqual(same["packets_delivered"], slow["packets_delivered"])
        usual = self.run_json(fabric, "--set", "nics.host3.rx_drain_percent=100", "--until", "1ms")
        self.assertGreater(usual["packets_delivered"], 1.9 * got)

    def test_a_buffer_without_headroom_overflows(self):
        fabric = self.write("ud.yaml", DATAGRAMS.replace("stop: 50us", "stop: 1ms"))
        summary = self.run_json(fabric, "--set", "nic.rx_drain_percent=0", "--set",
                                "nic.rx_xoff_bytes=520000B", "--until", "200us")
        self.assertGreater(summary["drops"]["rx_overflow"], 0)
        self.assertEqual(summary["drops"]["total"], summary["drops"]["rx_overflow"])

    def test_a_run_that_nobody_drains_ends_as_a_stall(self):
        fabric = self.write("ud.yaml", DATAGRAMS)
        got = self.sluice("run", fabric, "--set", "nic.rx_drain_percent=0", "--set",
                          "workload.streams.1.stop=1ms")
        self.assertEqual(got.returncode, 5, got.stderr)
        self.assertIn("no packet was delivered", got.stderr)

    def test_wrong_hosts_and_limits_are_refused(self):
        fabric = self.write("ud.yaml", DATAGRAMS)

        def refused(*words):
            sets = [word for assignment in words[0] for word in ("--set", assignment)]
            self.assert_error(self.sluice("run", fabric, *sets), 2, *words[1:])
        refused(["nics.host4.rx_drain_percent=0"], "nics.host4", "host0 to host3")
        refused(["nics.nic1.rx_drain_percent=0"], "nics.nic1", "no such host")
        refused(["nics.host1.port_rate=200Gbps"], "nics.host1", "port_rate")
        refused(["nics.host1.rx_drain=5"], "rx_drain", "unknown key")
        refused(["nic.rx_drain_percent=101"], "rx_drain_percent", "101")
        refused(["nic.rx_drain_percent=50", "nic.rx_drain_rate=100Gbps"], "rx_drain_rate")
        refused(["nic.rx_xoff_bytes=1MiB"], "rx_xoff_bytes")

    def test_the_other_hosts_of_nics_keep_theirs(self):
        fabric = self.write("ud.yaml", DATAGRAMS)
        plain = self.run_json(fabric)
        named = self.run_json(fabric, "--set", "nics.host2.rx_drain_percent=0")  # receives nothing
        self.assertNotEqual(named["config_hash"], plain["config_hash"])
        self.assertEqual(named["packets_delivered"], plain["packets_delivered"])

    def test_a_window_beside_dcqcn_pauses_less_than_rates_alone(self):
        fabric = sluice_case.FABRICS / "incast16.yaml"
        tight = ("--set", "switch.mmu.port_alpha_enabled=false", "--set",
                 "switch.mmu.pg_alpha_exp=-7")
        rates = self.run_json(fabric, *tight)
        window = self.run_json(fabric, *tight, "--set", "nic.window_bytes=128KiB")
        self.assertGreater(rates["pfc"]["xoff_frames"], 0)
        self.assertLess(window["pfc"]["xoff_frames"], rates["pfc"]["xoff_frames"])
        # 15 windows of 32 packets are the most that the switch can hold.
        cells = -(-(4096 + 62 + 16) // 192)
        self.assertLessEqual(window["buffer"]["peak_cells"], 15 * 32 * cells)

    def test_one_key_chooses_the_congestion_control(self):
        fabric = self.write("incast.yaml", INCAST)
        seen = {}
        for control in ("none", "dcqcn", "rttcc"):
            seen[control] = self.run_json(fabric, "--set", f"nic.congestion_control={control}")
        self.assertEqual(seen["none"]["cnp"]["sent"], 0)
        self.assertGreater(seen["dcqcn"]["cnp"]["sent"], 0)
        for control in ("dcqcn", "rttcc"):
            self.assertLess(seen[control]["buffer"]["peak_cells"],
                            seen["none"]["buffer"]["peak_cells"])
        got = self.sluice("run", fabric, "--set", "nic.congestion_control=rtcc")
        self.assertEqual(got.returncode, 2)
        self.assertIn("rttcc", got.stderr)

    def test_a_preset_of_dcqcn_is_what_its_other_keys_change(self):
        fabric = self.write("incast.yaml", INCAST)

        def config(*sets):
            words = [word for item in sets for word in ("--set", item)]
            return self.run_json(fabric, *words)["config_hash"]

        self.assertNotEqual(config("nic.dcqcn.preset=nvidia"), config())
        self.assertEqual(config("nic.dcqcn.preset=paper"), config())
        self.assertNotEqual(config("nic.dcqcn.preset=hpcc"), config("nic.dcqcn.preset=nvidia"))
        self.assertEqual(config("nic.dcqcn.preset=nvidia", "nic.dcqcn.rate_timer=55us"),
                         config("nic.dcqcn.rate_timer=55us", "nic.dcqcn.preset=nvidia"))
        got = self.sluice("run", fabric, "--set", "nic.dcqcn.preset=nvida")
        self.assertEqual(got.returncode, 2)
        self.assertIn("nvidia", got.stderr)

    def test_a_later_cnp_adds_what_comes_in_meanwhile(self):
        # 2 x 400 Gb/s in, 400 out: 50,000 B/us until the first cut halves both senders.
        fabric = self.write("incast.yaml", INCAST)

        def peak(delay):
            return self.run_json(fabric, "--set", f"nic.cnp_generation_latency={delay}")[
                "buffer"]["peak_cells"]
        base, later = peak("0us"), peak("5us")
        cells_a_packet = -(-(4096 + 62) // 192)
        expected = 5 * 50_000 / (4096 + 82) * cells_a_packet
        self.assertAlmostEqual((later - base) / expected, 1, delta=0.05)


if __name__ == "__main__":
    sluice_case.main()

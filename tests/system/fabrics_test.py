# SPDX-License-Identifier: Apache-2.0
# The ready files, made small by overrides: packet counts and hops in closed form.
import csv

import sluice_case
from sluice_case import FABRICS


class Fabrics(sluice_case.SluiceCase):
    def small(self, name, *words):
        summary = self.run_json(FABRICS / name, *words)
        self.assertEqual(summary["verdict"], "ok")
        self.assertEqual(summary["drops"]["total"], 0)
        self.assert_balanced(summary)
        return summary

    def test_one_switch_runs_what_is_set(self):
        summary = self.small("one-switch.yaml", "--set", "workload.type=all_reduce", "--set",
                             "workload.bytes=1MiB")
        # 2 (n - 1) / n of the vector leaves each of 64 hosts.
        self.assertEqual(summary["bytes_delivered"], 2 * 63 * (1 << 20))
        self.assertEqual([op["ranks"] for op in summary["ops"]], [64])

    def test_w1_is_a_permutation_of_128_hosts(self):
        summary = self.small("w1.yaml", "--set", "workload.bytes=64KiB")
        self.assertEqual(summary["ledger"]["bytes_in"], 128 << 16)
        self.assertEqual(summary["packets_delivered"], 128 * 16)
        self.assertEqual(summary["packets_delivered"] * 4096,
                         summary["ledger"]["bytes_simulated"])
        # Two hops below one leaf, four across.
        self.assertLessEqual(summary["packet_hops"], 4 * summary["packets_delivered"])
        self.assertGreater(summary["packet_hops"], 3 * summary["packets_delivered"])

    def test_w2_is_a_permutation_of_2048_hosts(self):
        summary = self.small("w2.yaml", "--set", "workload.bytes=4KiB")
        self.assertEqual(summary["ledger"]["bytes_in"], 2048 << 12)
        self.assertLessEqual(summary["packet_hops"], 4 * summary["packets_delivered"])

    def test_w3_has_4_senders_on_the_leaf_and_28_elsewhere(self):
        # 7,864,320 hops and 2,097,152 packets of the full size, / 1024.
        summary = self.small("w3.yaml", "--set", "workload.bytes=256KiB")
        self.assertEqual(summary["packets_delivered"], 2048)
        self.assertEqual(summary["packet_hops"], 7680)

    def test_w4_takes_254_steps_of_128_chunks(self):
        # 520,192 packets of the full size, / 16.
        summary = self.small("w4.yaml", "--set", "workload.bytes=512KiB")
        self.assertEqual(summary["packets_delivered"], 128 * 254)
        self.assertGreater(summary["packet_hops"], 3 * summary["packets_delivered"])
        linear = self.small("w4.yaml", "--set", "workload.bytes=512KiB", "--set",
                            "workload.ring_order=linear")
        # Of 128 neighbours in a linear ring, 8 pairs lie on two leaves.
        self.assertEqual(linear["packet_hops"], 254 * (120 * 2 + 8 * 4))

    def test_w5_is_an_all_to_all_of_256_hosts_on_two_planes(self):
        # 16 packets a pair of the full size, / 16.
        summary = self.small("w5.yaml", "--set", "workload.bytes=1MiB")
        self.assertEqual(summary["packets_delivered"], 256 * 255)
        self.assertEqual(summary["packet_hops"], 256 * (15 * 2 + 240 * 4))
        self.assertEqual(summary["drops"]["total"], 0)
        self.assertEqual(summary["retransmitted_packets"], 0)

    def test_incast16_is_lossless_and_fair_over_5_seeds(self):
        for seed in range(1, 6):
            summary = self.small("incast16.yaml", "--seed", seed, "--out", f"run{seed}")
            self.assertEqual(summary["packets_delivered"], 15 * 1024)
            with (self.scratch / f"run{seed}/ops.csv").open() as file:
                [row] = csv.DictReader(file)
            shortest, longest = int(row["shortest_ps"]), int(row["longest_ps"])
            # Kantorovich: Jain's index of the rates is at least 4 m M / (m + M)^2 for rates in m..M.
            self.assertGreaterEqual(4 * shortest * longest / (shortest + longest) ** 2, 0.99)

    def test_demo_runs_without_a_trace(self):
        summary = self.small("demo.yaml", "--set", "workload.bytes=1MiB")
        self.assertEqual([op["ranks"] for op in summary["ops"]], [16])
        self.assertGreater(summary["packet_hops"], 2 * summary["packets_delivered"])


if __name__ == "__main__":
    sluice_case.main()

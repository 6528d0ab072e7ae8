# SPDX-License-Identifier: Apache-2.0
# The shipped studies at their quick points: each table agrees with its closed form, and each checker
# sees a model parameter that is wrong. By hand, all points: sluice sweep STUDY --out DIR.
import shutil

import sluice_case
from sluice_case import SOURCE

STUDIES = SOURCE / "testbenches/studies"

# study: what its checker must see, on these points alone
FAULTS = {
    "s1-alpha-incast": (["switch.mmu.cell_bytes=256"], ["alpha=1/4", "senders=31"]),
    "s1-tomahawk5": (["switch.mmu.num_slices=1"], ["alpha=1", "senders=8"]),
    "s2-headroom": (["fabric.link.propagation_per_metre=5ns"],
                    ["rate=400", "length=500m", "frame=64"]),
    "s2-reverse-frame": (["workload.streams.1.frame_bytes=1500"], ["length=5m"]),
    "s2-knee": (["switch.mmu.shared_headroom_bytes=28MB"],
                ["length=880m", "placement=one slice"]),
    "s3-boundary": (["switch.mmu.pool_bytes=160MB"], ["alpha=1/16", "pattern=1 to 1"]),
    "s3-dcqcn": (["switch.mmu.pool_bytes=80MB"],
                 ["alpha=8", "kmin=150000000", "cnp_delay=0ps"]),
    "s3-cnp-delay": (["fabric.link.rate=50Gbps"], []),
    "s3-window": (["switch.mmu.pool_bytes=2MB"], ["cnp_delay=0ps"]),
    "congestion_control": (["nic.rttcc.max_queuing_delay=1s",
                            "nic.rttcc.congestion_delay_threshold=1s"],
                           ["workload=incast", "control=none", "control=rttcc-delay"]),
    "s6-slow-receiver": (["switch.mmu.pool_bytes=150MB"],
                         ["alpha=1/16", "flows=alone", "drain=0"]),
    "line-rate": (["switch.pipes.packets_per_second=1000000000"],
                  ["chip=spectrum4 64x800G", "frame=151"]),
}


class Studies(sluice_case.SluiceCase):
    def sweep(self, study, *words):
        return self.sluice("sweep", study, "--out", "out", *words, timeout=900)

    def test_every_study_has_a_fault_that_its_checker_must_see(self):
        self.assertEqual(set(FAULTS), {path.stem for path in STUDIES.glob("*.yaml")
                                       if "\nchecker:" in path.read_text()})

    def agrees(self, name):
        study = STUDIES / f"{name}.yaml"
        quick = ["--quick"] if "\nquick:" in study.read_text() else []
        got = self.sweep(study, *quick)
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertIn(" 0 outside their tolerance", got.stdout)

    def sees(self, name):
        sets, only = FAULTS[name]
        words = [word for item in sets for word in ("--set", item)]
        words += [word for item in only for word in ("--only", item)]
        got = self.sweep(STUDIES / f"{name}.yaml", *words)
        self.assertEqual(got.returncode, 7, got.stdout + got.stderr)
        self.assertIn("DISAGREES", got.stdout)
        self.assertIn("tolerances", got.stderr)

    def test_a_wrong_alpha_is_seen(self):
        here = self.scratch / "studies"
        shutil.copytree(STUDIES, here)
        study = here / "s1-alpha-incast.yaml"
        text = study.read_text()
        self.assertIn("[-4, -2, 0, 3, 0]", text)
        study.write_text(text.replace("[-4, -2, 0, 3, 0]", "[-4, -1, 0, 3, 0]"))
        got = self.sweep(study, "--only", "alpha=1/4", "--only", "senders=31")
        self.assertEqual(got.returncode, 7, got.stdout + got.stderr)


for study_name in FAULTS:
    def agrees(self, name=study_name):
        self.agrees(name)

    def sees(self, name=study_name):
        self.sees(name)

    stem = study_name.replace("-", "_")
    setattr(Studies, f"test_{stem}_agrees_with_its_closed_form", agrees)
    setattr(Studies, f"test_{stem}_has_a_checker_that_sees_a_fault", sees)

if __name__ == "__main__":
    sluice_case.main()

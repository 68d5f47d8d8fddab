# SPDX-License-Identifier: MIT
"""ntblab with machines that are no machines (support/fake_qemu.py): fast, and as bad as a test wants them."""

import os
import pathlib
import subprocess

from support.ntblab_cli import BIN, NTBLAB

FAKE_QEMU = pathlib.Path(__file__).resolve().parents[1] / "support" / "fake_qemu.py"


class FakeMachines:
    """A run directory, an installation whose QEMU is the fake one, and a topology without a switch."""

    def __init__(self, folder, run_dir):
        self.folder, self.run_dir = folder, run_dir
        share = folder / "share"
        (share / "qemu" / "bin").mkdir(parents=True)
        (share / "qemu" / "share").mkdir()
        (share / "qemu" / "bin" / "qemu-system-x86_64").symlink_to(FAKE_QEMU)
        for name in ("kernel/vmlinux", "image/initrd.img", "image/rootfs.erofs"):
            (share / name).parent.mkdir(exist_ok=True)
            (share / name).touch()
        self.topology = folder / "two.yaml"
        self.topology.write_text("name: two\ndefaults: {memory: 128M}\nnodes: {a: {}, b: {}}\n")
        assert (BIN / "ntb-fabric").exists()

    def environment(self, **more):
        # The installation has the stock kernel alone (empty: the topology's choice).
        return dict(os.environ, NTBLAB_KERNEL="", NTBLAB_RUN_DIR=str(self.run_dir), NTBLAB_SHARE=str(self.folder / "share"),
                    XDG_CACHE_HOME=str(self.folder / "cache"), **more)

    def run(self, *arguments, timeout=120, **more):
        return subprocess.run([NTBLAB, *map(str, arguments)], env=self.environment(**more), capture_output=True, text=True,
                              timeout=timeout)

    def start(self, *arguments, before=None, **more):
        return subprocess.Popen([NTBLAB, *map(str, arguments)], env=self.environment(**more), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=before)

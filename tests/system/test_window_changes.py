# SPDX-License-Identifier: MIT
"""Windows that come and go disturb no other access of the host."""

from support.ntblab_cli import Cluster, wait_for

# In the guest: reads constant registers as fast as it can, several with one instruction, until /tmp/stop is there. Prints how often,
# and what was not as at first.
READER = """
import mmap, os, sys
gas = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 0x1000, offset=0x2000)
first, reads, wrong = gas[:64], 0, []
while not os.path.exists('/tmp/stop'):
    for _ in range(100):
        now = gas[:64]
        reads += 1
        if now != first:
            wrong.append(now.hex())
print(reads, *wrong[:3])
"""


def test_registers_are_read_while_windows_come_and_go(run_dir):
    with Cluster.up("tests/system/pair-without-clients.yaml", run_dir=run_dir) as pair:
        pair.use_client("ntb_tool")
        for node in pair.nodes:
            pair.run(node, f"echo Y > /sys/kernel/debug/ntb_tool/{pair.ntb_device(node)}/link")
        peer = f"/sys/kernel/debug/ntb_tool/{pair.ntb_device('b')}/peer0"
        pair.run("b", f"echo Y > {peer}/link_event")
        pair.put("a", "/tmp/reader.py", READER.encode())
        gas = f"/sys/bus/pci/devices/{pair.ntb_device('a')}/resource0"
        pair.run("a", f"rm -f /tmp/stop; python3 /tmp/reader.py {gas} > /tmp/result 2>&1 & echo $! > /tmp/reader.pid")
        # Windows of a's that open and close.
        pair.run("b", f"for i in $(seq 60); do echo 0x100000 > {peer}/mw_trans1; echo 0 > {peer}/mw_trans1; done")
        pair.run("a", "touch /tmp/stop")
        wait_for("the reader's end", lambda: pair.command("a", "test -d /proc/$(cat /tmp/reader.pid)", check=False).returncode != 0)
        reads, *wrong = pair.run("a", "cat /tmp/result").split()
        assert int(reads) > 0 and not wrong

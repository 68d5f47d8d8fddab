# SPDX-License-Identifier: MIT
"""The switch's DMA engine under mainline's switchtec_dma: the kernel's own test of engines, and the NTB clients that can use one."""

import re

import pytest
from support.ntblab_cli import REPO, Cluster
from support.repeat import BEFORE_RELEASE
from support.window import in_window, wait_window

CHANNELS = 4
MIB = 1 << 20
PAIR = "tests/system/pair-with-dma.yaml"


@pytest.fixture(scope="module")
def dma_pair():
    """A pair with no NTB client, and the engines' driver."""
    with Cluster.up(PAIR) as pair:
        for node in pair.nodes:
            pair.run(node, "modprobe switchtec_dma")
        yield pair


def dmatest(pair, node, iterations, threads, size):
    """Runs dmatest on all channels of a node; returns (tests, failures) of each thread."""
    pair.run(node, "dmesg -C; modprobe dmatest; cd /sys/module/dmatest/parameters; echo 10000 > timeout; echo 1 > wait;"
                   f" echo {iterations} > iterations; echo {threads} > threads_per_chan; echo {size} > test_buf_size;"
                   " echo > channel; echo 1 > run; cat wait >/dev/null; echo 0 > run", timeout=7200)
    said = pair.run(node, "dmesg; rmmod dmatest")
    return [(int(tests), int(failures)) for tests, failures in re.findall(r"summary (\d+) tests, (\d+) failures", said)]


def test_the_driver_binds_and_registers_its_channels(dma_pair):
    said = dma_pair.run("a", "lspci -k -d ::0880")
    assert "Kernel driver in use: switchtec_dma" in said
    assert len(dma_pair.run("a", "ls /sys/class/dma").split()) == CHANNELS


# Iterations; 10,000 each before a release.
@pytest.mark.parametrize("threads,size,iterations", [(1, 8, 1000), (2, 4096, 1000), (3, 65536, 200), (1, MIB, 50), (4, MIB, 20)])
def test_dmatest_finds_no_failure(dma_pair, threads, size, iterations):
    results = dmatest(dma_pair, "a", 10_000 if BEFORE_RELEASE else iterations, threads, size)
    assert len(results) == CHANNELS * threads
    assert all(tests > 0 and failures == 0 for tests, failures in results), results


def test_a_strict_switch_lets_none_of_the_engines_writes_pass(run_dir, tmp_path):
    """As hardware does whose requester-ID table lists what mainline's driver puts there: ntb_perf ends well, and nothing has arrived."""
    topology = tmp_path / "strict.yaml"
    topology.write_text((REPO / PAIR).read_text() + "    rid-protection: strict\n")
    with Cluster.up(topology, run_dir=run_dir) as pair:
        run_file = pair.connect_perf(f"total_order=20 chunk_order=16 max_mw_size={MIB} use_dma=1")
        wait_window(pair)
        in_window(pair, f"window[:] = bytes(range(256)) * {MIB // 256}")
        pair.run("a", f"echo 0 > {run_file}")
        assert "copied 1048576 bytes" in pair.run("a", f"cat {run_file}")
        assert in_window(pair, f"print(window[:] == bytes(range(256)) * {MIB // 256})") == "True"
        bus, device, function = (int(part, 16) for part in re.match(r"(\w+):(\w+)\.(\w)", pair.run("a", "lspci -d ::0880")).groups())
        refused = pair.side("a")["refused"]
        assert refused["requests"] >= 16 and refused["requester_id"] == bus << 8 | device << 3 | function


FETCH = "import shutil, urllib.request as r; shutil.copyfileobj(r.urlopen('http://a:8000/file'), open('/tmp/file', 'wb'), 1 << 20)"


def test_a_file_crosses_ntb_netdev_by_the_engine(dma_pair, repeat):
    """By that of the receiver: the sender's CPU copies, since its buffers are not aligned to the 8 bytes that switchtec_dma asks for, as an
    Ethernet header has 14."""
    pair = dma_pair
    pair.use_client("ntb_transport use_dma=1", "ntb_netdev")
    pair.wait_ping()
    size = repeat(1024) * MIB
    sent = pair.run("a", f"mkdir -p /tmp/served; head -c {size} /dev/urandom > /tmp/served/file; sha256sum < /tmp/served/file")
    pair.run("a", "python3 -m http.server -d /tmp/served >/dev/null 2>&1 & until ss -Hltn sport = :8000 | grep -q .; do sleep 0.05; done")
    pair.run("b", f'python3 -c "{FETCH}"', timeout=900)
    pair.run("a", "pkill -f '[h]ttp.server'")
    assert pair.run("b", "sha256sum < /tmp/file; rm /tmp/file") == sent
    by_engine = pair.run("b", "sed -n 's/^rx_async - *//p' /sys/kernel/debug/ntb_transport/*/qp0/stats")
    assert int(by_engine) > size // 65536 // 4

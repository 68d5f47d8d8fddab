# SPDX-License-Identifier: MIT
"""`ntblab trace`: what the drivers of a running pair do to the chip, by the names of registers; and a node that is left as it was."""

import contextlib
import json
import os
import re
import signal
import subprocess

import pytest
from support.monitor import Monitor
from support.ntblab_cli import IOMMU, LIMIT, NTBLAB, Cluster, ntblab, wait_for


@contextlib.contextmanager
def tracing(pair, node, *arguments, ends_by=signal.SIGINT, **options):
    """A tracer that has begun; afterwards it is ended by a signal, and has to say so by its exit code."""
    environment = dict(os.environ, NTBLAB_RUN_DIR=str(pair.run_dir))
    options.setdefault("stdout", subprocess.DEVNULL)
    tracer = subprocess.Popen([NTBLAB, "trace", f"{pair.name}/{node}", *map(str, arguments)], env=environment, text=True,
                              stderr=subprocess.PIPE, **options)
    try:
        first = tracer.stderr.readline()
        assert first == f"tracing {pair.name}/{node}; Ctrl-C ends it\n", first + tracer.stderr.read()
        yield tracer
        if ends_by:
            tracer.send_signal(ends_by)
            assert tracer.wait(timeout=LIMIT) == 128 + ends_by, tracer.stderr.read()
    finally:
        tracer.kill()
        tracer.wait()
        tracer.stderr.close()


def events(path):
    """The whole lines of a tracer's JSON so far."""
    text = path.read_text()
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def enabled(pair, node):
    """Trace events of the device that are on in a node's machine."""
    monitor = Monitor(pair.run_dir / pair.name / node / "qmp.sock", LIMIT)
    states = monitor.command("trace-event-get-state", name="switchtec_ntb_*")
    monitor.close()
    assert states
    return [entry["name"] for entry in states if entry["state"] == "enabled"]


def ring(pair, bit):
    """Node a rings a doorbell of b by ntb_tool."""
    pair.run("a", f"echo s {bit:#x} > /sys/kernel/debug/ntb_tool/{pair.ntb_device('a')}/peer_db")


@pytest.fixture(scope="module")
def tool_pair(pair):
    pair.use_client("ntb_tool")
    return pair


def test_a_doorbell_is_told_by_its_register_and_its_partition(tool_pair, tmp_path):
    trace = tmp_path / "trace"
    with tracing(tool_pair, "a", "--json", "-o", trace):
        assert "switchtec_ntb_gas_write" in enabled(tool_pair, "a")
        ring(tool_pair, 4)
        rung = wait_for("the doorbell", lambda: [event for event in events(trace) if event["kind"] == "doorbell"])[0]
    assert enabled(tool_pair, "a") == []
    assert (rung["node"], rung["device"], rung["switch"], rung["partition"]) == ("a", "ntb0", "sw0", 0)
    assert rung["fields"] == {"bits": "0x0000000400000000"} or rung["fields"] == {"bits": "0x0000000000000004"}
    assert rung["text"] == f"doorbell ntb_dbmsg[0].odb = {int(rung['fields']['bits'], 16):#x}"
    write = next(event for event in events(trace) if event["event"] == "gas_write" and event["register"] == "odb")
    assert (write["region"], write["block"]) == ("ntb_dbmsg", 0)
    assert 0 <= write["time"] <= rung["time"] < LIMIT


def test_its_peer_sees_the_interrupt_of_a_message(tool_pair, tmp_path):
    trace = tmp_path / "trace"
    with tracing(tool_pair, "b", "--json", "--events", "interrupt", "-o", trace):
        assert enabled(tool_pair, "b") == ["switchtec_ntb_interrupt"]
        link = f"/sys/kernel/debug/ntb_tool/{tool_pair.ntb_device('a')}/link"
        tool_pair.run("a", f"echo Y > {link}; echo N > {link}")  # messages; ntb_tool masks doorbells
        seen = wait_for("the interrupt", lambda: events(trace))
    assert {(event["kind"], event["partition"]) for event in seen} == {("interrupt", 1)}
    assert re.fullmatch(r"interrupt vector \d by MSI-X", seen[0]["text"])


def test_a_firmware_command_has_its_name(tool_pair, tmp_path):
    trace = tmp_path / "trace"
    with tracing(tool_pair, "a", "--events", "mrpc", "-o", trace):
        tool_pair.run("a", "python3 -c \"import os; f = os.open('/dev/switchtec0', os.O_RDWR); "
                           "os.write(f, (0x41).to_bytes(4, 'little') + bytes(4)); os.read(f, 8)\"")
        wait_for("the command", lambda: "mrpc.cmd = 0x41 (command=" in trace.read_text())
    assert all(" mrpc" in line or " dma_write " in line for line in trace.read_text().splitlines())


def test_messages_pass_and_the_peers_windows_close_and_open_when_the_driver_goes_and_comes(tool_pair, tmp_path):
    """The link is up before and after, so that b has looked into a's memory: behind an IOMMU a window opens page by page, when one is used."""
    here, there = tmp_path / "here", tmp_path / "there"
    tool = {node: f"/sys/kernel/debug/ntb_tool/{tool_pair.ntb_device(node)}" for node in "ab"}

    def link_up():
        for node in "ab":
            tool_pair.run(node, f"echo Y > {tool[node]}/link")
        tool_pair.run("b", f"timeout 60 sh -c 'echo Y > {tool['b']}/peer0/link_event'")

    def changes():
        return {event["event"] for event in events(there)}

    link_up()
    with tracing(tool_pair, "a", "--events", "message,register", "-o", here), \
            tracing(tool_pair, "b", "--json", "--events", "window", "-o", there):
        tool_pair.run("a", "modprobe -r ntb_tool ntb_hw_switchtec && modprobe ntb_tool && modprobe ntb_hw_switchtec")
        link_up()
        wait_for("windows", lambda: {"window_map", "window_unmap"} <= changes())
    assert all(event["kind"] == "window" and event["partition"] == 1 for event in events(there))
    size = "4K" if IOMMU else "64K"
    for change in ("closed", "open"):
        assert any(re.match(rf"window {change} BAR\d \+0x\w+, {size} -> partition 0, bus address 0x", event["text"]) for event in events(there))
    text = here.read_text()
    assert re.search(r"sw0:0 write ntb_ctrl\[1\]\.partition_op = 0x1 \(op=LOCK\)", text)
    assert re.search(r"sw0:0 message ntb_dbmsg\[0\]\.omsg\[0\]\.msg = 0x\w+ \(message=\w+\)", text)


def test_one_traces_a_node_at_a_time(tool_pair):
    with tracing(tool_pair, "a"):
        second = tool_pair.ntblab("trace", "a", check=False)
        assert second.returncode == 4 and "another `ntblab trace a` is running" in second.stderr
        with tracing(tool_pair, "b", "--events", "device"):
            pass
        assert enabled(tool_pair, "a") != [] and enabled(tool_pair, "b") == []
    assert enabled(tool_pair, "a") == []


def test_a_reader_that_goes_ends_it_and_it_leaves_nothing_on(tool_pair):
    reading, writing = os.pipe()
    with tracing(tool_pair, "a", stdout=writing, ends_by=None) as tracer:
        os.close(writing)
        os.close(reading)
        ring(tool_pair, 4)
        assert tracer.wait(timeout=LIMIT) == 128 + signal.SIGPIPE
    assert enabled(tool_pair, "a") == []


def test_a_killed_tracer_is_followed_by_another(tool_pair, tmp_path):
    with tracing(tool_pair, "a", ends_by=None) as tracer:
        tracer.kill()
        tracer.wait()
    ring(tool_pair, 2)
    trace = tmp_path / "trace"
    with tracing(tool_pair, "a", "--json", "--events", "doorbell", "-o", trace, ends_by=signal.SIGTERM):
        assert enabled(tool_pair, "a") == ["switchtec_ntb_doorbell"]
        ring(tool_pair, 8)
        seen = wait_for("the doorbell", lambda: events(trace))
    assert [int(event["fields"]["bits"], 16) & 0xFFFFFFFF or int(event["fields"]["bits"], 16) >> 32 for event in seen] == [8]


def test_traffic_is_traced_until_the_machine_is_killed(run_dir, tmp_path):
    trace = tmp_path / "trace"
    with Cluster.up("topologies/pair.yaml", run_dir=run_dir) as cluster:
        cluster.wait_ping()
        with tracing(cluster, "a", "-o", trace, ends_by=None) as tracer:
            cluster.run("a", "ping -c 3 -i 0.2 b")
            wait_for("the traffic", lambda: trace.read_text().count("doorbell ntb_dbmsg[0].odb") >= 3)
            log = run_dir / "pair" / "a" / "trace.log"
            assert log.stat().st_blocks * 512 < (4 << 20)
            cluster.kill("a")
            assert tracer.wait(timeout=LIMIT) == 1
            assert tracer.stderr.read() == "ntblab: node 'pair/a' was switched off\n"
        off = cluster.ntblab("trace", "a", check=False)
        assert off.returncode == 1 and "node 'a' does not run" in off.stderr


def test_what_cannot_be_traced_is_refused(run_dir, tmp_path):
    none = ntblab("trace", "a", run_dir=run_dir, check=False)
    assert none.returncode == 3 and "there is no node 'a'" in none.stderr
    wrong = ntblab("trace", "a", "--events", "windows", run_dir=run_dir, check=False)
    assert wrong.returncode == 2 and "--events" in wrong.stderr
    (tmp_path / "alone.yaml").write_text("name: alone\nnodes: {a: {memory: 256M}}\n")
    with Cluster.up(tmp_path / "alone.yaml", run_dir=run_dir) as cluster:
        refused = cluster.ntblab("trace", "a", check=False)
        assert refused.returncode == 1 and "node 'a' has no endpoint" in refused.stderr

# SPDX-License-Identifier: MIT
"""What management software asks of the switch through the unmodified switchtec driver, and what is true of this one: the
calls that the vendor's command-line tool makes for list, info, status, bw, latency, temp, events, event-wait, evcntr, fw-info,
log-dump, gas, port-bind-info, stack-bif and diag list-mrpc."""

import dataclasses
import errno
import re
import struct

import pytest
from support.ntblab_cli import Cluster, kernel_complaints, wait_for
from support.switchtec_device import ACTIVE, ALL, CLEAR, DISABLE_POLL, ENABLE_POLL, EVENTS, RUNNING, VEP, Refused, SwitchtecDevice

BAD_SUBCOMMAND, BAD_COMMAND, BAD_PARAMETER, DENIED, BAD_STACK, BAD_PORT = 0x64004, 0x64005, 0x64006, 0x64010, 0x100001, 0x100002
PHYSICAL_PORT = {"a": 0, "b": 8}  # of x16 links: each takes eight ports, a whole stack
POSTED, NON_POSTED = 1 << 20, 1 << 22  # types of an event counter


@dataclasses.dataclass
class Model:
    """A switch, and what is known of its generation."""
    name: str
    generation: int
    device_id: int
    firmware: int
    ports: int


GEN3 = Model("pfx-48xg3", 3, 0x8533, 0x01000100, 48)
GEN4 = Model("pfx-52xg4", 4, 0x4052, 0x04000100, 52)
GEN5 = Model("pfx-52xg5", 5, 0x5052, 0x06000100, 60)


@pytest.fixture(scope="module", params=[GEN3, GEN4, GEN5], ids=lambda model: model.name)
def switch(request, tmp_path_factory):
    """(model, pair, a's device)"""
    model = request.param
    topology = tmp_path_factory.mktemp("topology") / "pair.yaml"
    topology.write_text(f"""name: management
defaults: {{modules: [ntb_hw_switchtec], cmdline: iomem=relaxed, link: {{generation: {model.generation}}}}}
nodes: {{a: {{}}, b: {{}}}}
switches: {{sw0: {{model: {model.name}, nt-pairs: [[a, b]]}}}}
""")
    with Cluster.up(topology) as pair, SwitchtecDevice(pair, "a") as device:
        yield model, pair, device
        for node in pair.nodes:
            assert kernel_complaints(pair.dmesg(node)) == []


@pytest.fixture
def model(switch):
    return switch[0]


@pytest.fixture
def pair(switch):
    return switch[1]


@pytest.fixture
def device(switch):
    return switch[2]


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


def refusal(call):
    """The number of the kernel's error."""
    with pytest.raises(Refused) as refused:
        call()
    return refused.value.errno


# --- list, info, test

def test_attributes_say_which_switch_it_is(device, model):
    expected = {"fw_version": f"{model.firmware:08x}", "vendor_id": "MICROSEM", "partition": "0", "partition_count": "2",
                "product_id": f"{model.name[:3].upper()} {model.name[4:6]}xG{model.generation}", "product_revision": "01"}
    if model.generation > 3:
        expected |= {"component_vendor": "none", "component_id": "none", "component_revision": "255"}
    else:
        expected |= {"component_id": f"PM{model.device_id:04X}"}
    assert {name: device.attribute(name).rstrip("\n") for name in expected} == expected


def test_device_information_has_generation_and_phase(device, model):
    code, output = device.command(0x100, words(0x12345678), 8)
    if model.generation == 3:
        assert code == BAD_COMMAND  # by which a tool knows a Gen3 switch
        return
    information, complement = struct.unpack("<II", output)
    assert (code, complement) == (0, 0xEDCBA987)
    assert information & 0xFF == 3  # the main firmware runs
    assert information >> 12 & 0xF == model.generation - 4


@pytest.mark.parametrize("upper", [0, 0x007C, 0xFFFC])
def test_echo_answers_the_complement_whatever_fabric_id_is_in_the_command(device, upper):
    assert device.answer(upper << 16 | 0x41, words(0xA5A5F00F), "<I") == (0x5A5A0FF0,)


def test_commands_that_there_are_not_return_an_error_and_the_next_one_works(device):
    for command in (0x11, 0x1B, 0x26, 0x99, 0x109, 0xFFFF):
        assert device.command(command, words(0), 4)[0] == BAD_COMMAND
    assert device.command(0x41, words(1), 4)[0] == 0


def test_permissions_list_the_commands_that_there_are(device, model):
    permitted = device.answer(0x37, b"", "<44s")[0]
    listed = {number for number in range(8 * len(permitted)) if permitted[number // 8] >> number % 8 & 1}
    common = {0x04, 0x05, 0x06, 0x07, 0x0B, 0x0C, 0x1C, 0x1D, 0x1F, 0x29, 0x34, 0x37, 0x3B, 0x41}
    assert listed == (common if model.generation == 3 else common | {0x2B, 0x100})


def test_every_command_is_completed_by_an_interrupt(pair, device):
    count = "awk '/switchtec/ && /mrpc|switchtec$/ {for (i = 2; $i ~ /^[0-9]+$/; i++) sum += $i} END {print sum}' /proc/interrupts"
    before = int(pair.run("a", count))
    for number in range(20):
        device.answer(0x41, words(number), "<I")
    assert int(pair.run("a", count)) >= before + 20


# --- status

def link_status(device, model):
    fields = struct.iter_unpack("<BBBBBBBBHBB", device.answer(0x1C, bytes(8), f"<{12 * model.ports}s")[0])
    return {port[0]: port[1:] for port in fields}


def test_link_status_of_every_physical_port(device, model):
    status = link_status(device, model)
    assert sorted(status) == list(range(model.ports))
    for partition, port in enumerate(PHYSICAL_PORT.values()):
        # partition, logical port, stack, widths as configured and negotiated, upstream, up and rate, L0, lanes in order from 0
        assert status.pop(port) == (partition, 0, port // 8 << 4, 16, 16, 1, 0x80 | model.generation, 0x0103, 0, 0)
    assert {(partition, rate) for partition, *_, rate, _, _, _ in status.values()} == {(0xFF, 0)}  # bound to no partition


def test_ports_and_their_configuration_spaces(device):
    for partition in range(2):
        upstream, virtual = device.port_to_pff(partition, 0), device.port_to_pff(partition, VEP)
        assert device.pff_to_port(upstream) == (partition, 0) and device.pff_to_port(virtual) == (partition, VEP)
        assert device.load(0x134000 + 0x1000 * upstream, 2) == 0x11F8
    assert device.port_to_pff(0xFFFFFFFF, 0) == device.port_to_pff(0, 0)  # -1: the local partition
    assert refusal(lambda: device.port_to_pff(2, 0)) == errno.EINVAL


def test_port_binding(device):
    count, *ports = device.answer(0x0C, bytes([2, 0xFF, 0, 0]), "<Bxxx8s184x")
    assert count == 2
    assert ports == [bytes([0, 0, 0, 0x10, 8, 1, 0, 0x10])]  # port, partition, logical port, bound
    assert device.command(0x0C, bytes([2, 3, 0, 0]), 196)[0] != 0  # no port there
    assert device.command(0x0C, bytes([1, 0, 0, 0]), 4)[0] != 0    # an upstream port stays where it is


def test_bifurcation_of_a_stack(device):
    assert device.answer(0x0B, bytes([0, 1, 0, 0, 0, 0, 0, 0]), "<xBxxI") == (1, 8)  # one port of x16
    assert device.command(0x0B, bytes([0, 6, 0, 0, 0, 0, 0, 0]), 8)[0] == 0x54003


# --- bw, latency, evcntr

def bandwidth(device, port, clear=False):
    """Microseconds, then bytes out and in, each posted, completion, non-posted."""
    return device.answer(0x07, bytes([1, 1, port, clear]), "<7Q")


def test_bandwidth_grows_with_what_goes_by(device):
    port = PHYSICAL_PORT["a"]
    assert device.command(0x07, bytes([12, 1, port, 1]))[0] == 0  # payload alone, from 0 on
    before = bandwidth(device, port)
    for _ in range(10):
        device.load(0x2000)
        device.store(0x75008, 0, 8)
    after = bandwidth(device, port)
    assert after[0] > before[0] and all(new >= old for new, old in zip(after, before))
    assert after[2] - before[2] >= 10 * 4  # completions to the host
    assert after[4] - before[4] >= 10 * 8  # its posted writes
    assert bandwidth(device, port, clear=True)[0] >= after[0]
    assert bandwidth(device, port)[0] < after[0]
    assert device.command(0x07, bytes([1, 1, 5, 0]), 56)[0] == BAD_PORT


def test_latency_is_measured_where_single_requests_are_forwarded(device):
    port = PHYSICAL_PORT["b"]
    assert device.command(0x07, bytes([4, 1, port, 0x3F]))[0] == 0
    assert device.answer(0x07, bytes([5, 1, 0, port]), "<B") == (0x3F,)
    assert device.answer(0x07, bytes([6, 1, 0, port]), "<HH") == (0, 0)  # nothing was


def set_up_counter(device, stack, counter, events, ports, threshold=0):
    data = struct.pack("<BBBBIBI", 0, stack, counter, 1, events << 8 | ports, 0, threshold)
    assert device.command(0x07, data)[0] == 0


def counted(device, stack, counter, clear=False):
    return device.answer(0x07, bytes([2, stack, counter, 1, clear]), "<II")


def test_event_counters_count_requests(device):
    set_up_counter(device, 0, 5, POSTED | NON_POSTED, 1 << 0)
    assert device.answer(0x07, bytes([3, 0, 5, 1]), "<IBI") == ((POSTED | NON_POSTED) << 8 | 1 << 0, 0, 0)
    before, _ = counted(device, 0, 5)
    for _ in range(10):
        device.load(0x2000)
    assert counted(device, 0, 5, clear=True)[0] >= before + 10
    assert counted(device, 0, 5)[0] < 10
    set_up_counter(device, 0, 5, 0, 0)
    assert counted(device, 0, 5) == (0, 0)
    assert device.command(0x07, bytes([2, 6, 0, 1, 0]), 8)[0] == BAD_STACK


# --- temp

def test_temperature_is_the_documented_constant(device, model):
    if model.generation == 3:
        assert device.command(0x04, bytes([1, 0, 0, 0]))[0] == 0  # measure
    subcommand, sensors = (4, 4) if model.generation == 5 else (2, 1)
    assert device.answer(0x04, bytes([subcommand, 0, 0, 0]), f"<{sensors}I") == (4500,) * sensors


# --- events, event-wait

def forget_events(device):
    for name in EVENTS:
        device.event(name, ALL, CLEAR | DISABLE_POLL)  # passes over those that there are not


def test_a_threshold_wakes_who_waits_for_events(device):
    forget_events(device)
    device.event_summary()
    pff = device.port_to_pff(0, 0)
    device.event("threshold", pff, CLEAR | ENABLE_POLL)
    assert not device.wait_event(0)
    _, count = device.event("threshold", pff)
    set_up_counter(device, 0, 0, POSTED, 1 << 0, threshold=3)
    for _ in range(4):
        device.store(0x75008, 0, 8)
    assert device.wait_event(60000)
    summary = device.event_summary()
    assert summary["ports"][pff] >> 7 & 1 and summary["local"] & 1 << 1 == 0
    assert not device.wait_event(0)  # the summary has been read
    assert device.event("threshold", pff) == (1, count + 1)
    assert device.event_flags("threshold", pff) == 0  # the driver's handler has disarmed it
    device.event("threshold", pff, CLEAR)
    assert device.event("threshold", pff) == (0, count + 1)
    set_up_counter(device, 0, 0, 0, 0)


def test_a_peers_reboot_is_a_partition_reset_and_link_changes(pair, device, model):
    forget_events(device)
    resets, links = device.event("part-reset", 1)[1], device.event("link-state", device.port_to_pff(1, 0))[1]
    device.event_summary()
    device.event("part-reset", 1, ENABLE_POLL)
    pair.ntblab("kill", f"{pair.name}/b")
    wait_for("b's link down", lambda: link_status(device, model)[PHYSICAL_PORT["b"]][6] == 0)
    assert link_status(device, model)[PHYSICAL_PORT["b"]][4:8] == (0, 1, 0, 0x0100)  # no width, upstream, down, Detect
    pair.ntblab("start", f"{pair.name}/b")
    assert device.wait_event(60000)
    summary = device.event_summary()
    assert summary["partitions"][1] & 1 and summary["partition_bitmap"] >> 1 & 1 and not summary["partitions"][0] & 1
    assert device.event("part-reset", 1) == (1, resets + 1)
    assert (device.event("link-state", device.port_to_pff(1, 0))[1] - links) % 256 >= 2  # down, up
    assert link_status(device, model)[PHYSICAL_PORT["b"]][6] == 0x80 | model.generation


def test_events_that_the_switch_does_not_have_say_so(device):
    assert refusal(lambda: device.event("gfms", 0)) == errno.EOPNOTSUPP
    assert refusal(lambda: device.event("part-reset", 2)) == errno.EINVAL


# --- fw-info

@pytest.mark.parametrize("part, is_active", [(0, True), (1, False), (2, True), (3, False)], ids=["cfg0", "cfg1", "img0", "img1"])
def test_flash_parts_of_what_runs_are_active(device, part, is_active):
    size, _ = device.flash_info()
    address, length, flags = device.flash_part(part)
    assert 0 < length and address + length <= size
    assert flags == (ACTIVE | RUNNING if is_active else 0)


def test_flash_parts_do_not_overlap(device, model):
    size, count = device.flash_info()
    assert count == (13 if model.generation == 3 else 19)
    places = sorted((address, length) for address, length, _ in map(device.flash_part, range(count)) if length)
    ends = [address + length for address, length in places]
    assert all(end <= start for end, (start, _) in zip(ends, places[1:])) and ends[-1] <= size
    assert refusal(lambda: device.flash_part(count)) == errno.EINVAL


def test_firmware_information_is_of_the_emulator(device, model):
    if model.generation == 3:
        assert device.command(0x2B, bytes(4), 672)[0] == BAD_COMMAND
        return
    subcommand, size = (4, 736) if model.generation == 5 else (0, 672)
    output = device.answer(0x2B, bytes([subcommand, 0, 0, 0]), f"<{size}s")[0]
    assert struct.unpack_from("<IIH", output) == (model.firmware, device.flash_info()[0], model.device_id)
    assert device.command(0x2B, bytes([subcommand + 1, 0, 0, 0]), 628)[0] == 0      # metadata of what is there
    assert device.command(0x2B, bytes([subcommand + 1, 1, 0, 0]), 628)[0] == BAD_PARAMETER
    assert device.command(0x1D, bytes(4), 4) == (0, bytes(4))                          # one configuration


def test_nothing_can_be_downloaded(device):
    assert device.command(0x05, bytes([1, 0, 0, 0, 0, 0, 0, 0]), 4)[0] == DENIED


# --- log-dump

def log_definitions(device):
    """({module number: [texts]}, the version in its head)."""
    text, end, index = b"", 0, 0
    while not end:
        end, length, index, part = device.answer(0x3B, struct.pack("<BxxxHxx", 0, index), "<HHHxx1008s")
        text += part[:length]
    version = int(re.search(rb"# FW Version: (0x[0-9a-f]+)", text)[1], 16)
    lines = [line for line in text.decode().splitlines() if not line.startswith("#")]
    modules = {}
    while lines:
        _, number, count = lines.pop(0).split()
        modules[int(number)] = [lines.pop(0) for _ in range(int(count))]
    return modules, version


def test_the_log_tells_what_happened_and_comes_to_its_end(device, model):
    device.command(0x99, words(0))
    subcommand = {3: 0, 4: 13, 5: 11}[model.generation]
    entries, (definitions, version) = device.log(subcommand), log_definitions(device)
    assert [time for time, *_ in entries] == sorted(time for time, *_ in entries)
    texts = []
    for _, event, *arguments in entries:
        text = definitions[event >> 16 & 0xFFF][event & 0xFFFF]
        texts.append(text % tuple(arguments[:text.count("%")]))
    for expected in ("switch powered on with 2 partitions", "host of partition 1 attached",
                     f"link of partition 0 up: Gen{model.generation} x16", "control block 1: locked by partition 0",
                     "control block 1: configured by partition 0"):
        assert expected in texts
    # The drivers may still be setting up their windows: not always the last.
    assert texts.index("partition 0: command 0x99 failed: 0x64005") > texts.index("host of partition 1 attached")
    assert version == (model.firmware if model.generation == 5 else 0)  # before Gen5 log-dump takes the log to have version 0


# --- gas

def test_gas_is_read_in_every_size(device, model):
    assert device.load(0x2000) == model.device_id and device.load(0x2008) == model.firmware
    assert [device.load(0x2008 + byte, 1) for byte in range(4)] == list(words(model.firmware))
    assert device.load(0x10000, 8) == 0x3_0000_0002       # two partitions, which both have an NT endpoint
    assert device.load(0x10004, 8) == 3                   # 8 bytes at a 4-byte boundary, as Linux reads it
    assert device.load(0x232FFC) == 0 and device.load(0x3FFFF8, 8) == 0


def test_gas_is_written(device):
    before = device.load(0x75008, 8)
    device.store(0x75008, 0x0123_4567_89AB_CDEF, 8)
    assert device.load(0x75008, 8) == 0x0123_4567_89AB_CDEF
    device.store(0x75008, 0xFE, 1)
    assert device.load(0x75008, 8) == 0x0123_4567_89AB_CDFE
    device.store(0x75008, before, 8)


def test_gas_is_reached_by_commands(device, model):
    assert device.answer(0x29, words(0x2000, 12), "<III") == (model.device_id, device.load(0x2004), model.firmware)
    before = device.load(0x75008, 8)
    assert device.command(0x34, words(0x75008, 8, 0x11111111, 0x22222222))[0] == 0
    assert device.load(0x75008, 8) == 0x2222_2222_1111_1111
    device.store(0x75008, before, 8)
    assert device.command(0x29, words(0x100, 4), 4)[0] != 0     # the registers of the commands themselves
    assert device.command(0x29, words(0x2000, 513), 4)[0] == BAD_PARAMETER

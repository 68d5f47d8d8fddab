# SPDX-License-Identifier: MIT
"""Windows, access by access: two QEMUs without guests, a real fabric, the test as both CPUs."""

import itertools
import signal
import tempfile

import pytest
from support.ntblab_cli import wait_for
from support.nt_endpoint import LUT_PAGE, MASTER, MEMORY, Pair

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
# 3 GiB on q35: 2 GiB from 0, the rest from 4 GiB; firmware has the last 256 KiB below 1 MiB.
RAM, LOW_END, HIGH, HIGH_END = "3G", 2 * GIB, 4 * GIB, 5 * GIB
ONES = {1: 0xFF, 2: 0xFFFF, 4: 0xFFFFFFFF, 8: 0xFFFFFFFFFFFFFFFF}
CANARY = 0xC0FFEE00DEADBEEF
FILL = bytes(range(1, 65))


def pair_in_short_directory(**options):
    return Pair(tempfile.mkdtemp(prefix="ntb-"), **options)


@pytest.fixture(scope="module")
def big():
    """Large BARs: BAR2 of 64 MiB, BAR4 of 16 GiB, more than the peer's RAM and its memory map."""
    pair = pair_in_short_directory(memory=RAM, properties=",bar4-size=16G")
    yield pair
    pair.close()


@pytest.fixture
def pair():
    pair = pair_in_short_directory()
    yield pair
    pair.close()


def is_ram(address, size=1):
    return 0 <= address < 0xC0000 or MIB <= address and address + size <= LOW_END or HIGH <= address and address + size <= HIGH_END


def check_span(owner, peer, at, address, size):
    """`at`, in the peer's BAR, shows `size` bytes at the owner's `address`: both ways, at both ends and around pages."""
    places = sorted({0, 1, 8, 4 * KIB - 8, 4 * KIB, size // 2, size // 2 - 8, size - 4 * KIB, size - 8})
    for place in (p for p in places if 0 <= p <= size - 8):
        for width in (1, 2, 4, 8):
            value = (0x0123456789ABCDEF * (place + width + address)) & ONES[width]
            peer.store(at + place, width, value)
            assert owner.load(address + place, width) == value, f"store of {width} at 0x{place:x}"
            owner.store(address + place, width, value ^ ONES[width])
            assert peer.load(at + place, width) == value ^ ONES[width], f"load of {width} at 0x{place:x}"


def check_nothing(peer, at):
    """No window there: all-ones, and what is written is gone."""
    for width in (1, 2, 4, 8):
        peer.store(at, width, 0)
        assert peer.load(at, width) == ONES[width]


def set_canaries(owner, address, size):
    for canary in (address - 8, address + size):
        if is_ram(canary, 8):
            owner.store(canary, 8, CANARY)


def check_canaries(owner, address, size):
    for canary in (address - 8, address + size):
        if is_ram(canary, 8):
            assert owner.load(canary, 8) == CANARY, f"canary at 0x{canary:x}"


@pytest.mark.parametrize("address", [1 * MIB, 16 * MIB, LOW_END - 64 * KIB, HIGH, HIGH_END - 64 * KIB])
@pytest.mark.parametrize("index", [0, 1, 31, 63])
def test_lut_window_shows_its_64_kib(big, index, address):
    set_canaries(big.a, address, LUT_PAGE)
    big.a.open_lut(big.b, {i: address if i == index else None for i in (0, 1, 31, 63)})
    at = big.b.bar[2] + index * LUT_PAGE
    check_span(big.a, big.b, at, address, LUT_PAGE)
    check_canaries(big.a, address, LUT_PAGE)
    check_nothing(big.b, at + LUT_PAGE)
    if index:
        check_nothing(big.b, at - 8)


def test_adjacent_lut_windows_onto_scattered_pages(big):
    pages = {i: (HIGH if i % 2 else MIB) + (64 - i) * LUT_PAGE for i in range(64)}
    for index, address in pages.items():
        big.a.write(address, bytes([index]) * LUT_PAGE)
    big.a.open_lut(big.b, pages)
    for index in pages:
        content = big.b.read(big.b.bar[2] + index * LUT_PAGE, LUT_PAGE)
        assert content == bytes([index]) * LUT_PAGE
    boundary = big.b.bar[2] + LUT_PAGE - 4
    big.b.write(boundary, b"AAAABBBB")
    assert big.a.read(pages[0] + LUT_PAGE - 4, 4) == b"AAAA" and big.a.read(pages[1], 4) == b"BBBB"


@pytest.mark.parametrize("size", [4 * KIB, 64 * KIB, 2 * MIB, 256 * MIB, GIB])
@pytest.mark.parametrize("base", [0, HIGH])
def test_direct_window_of_bar4_shows_its_size(big, base, size):
    address = base + (GIB if base == 0 else 0)
    if size == GIB:
        address = base
    set_canaries(big.a, address, size)
    big.a.open_direct(big.b, 4, address, size)
    check_span(big.a, big.b, big.b.bar[4], address, size)
    check_canaries(big.a, address, size)
    check_nothing(big.b, big.b.bar[4] + size)
    check_nothing(big.b, big.b.bar[4] + 16 * GIB - 8)


@pytest.mark.parametrize("size", [4 * KIB, 64 * KIB, 2 * MIB])
def test_direct_window_of_bar2_begins_after_its_lut_windows(big, size):
    address, at = 512 * MIB, big.b.bar[2] + 64 * LUT_PAGE
    set_canaries(big.a, address, size)
    big.a.open_lut(big.b, {63: MIB})
    big.a.open_direct(big.b, 2, address, size)
    check_span(big.a, big.b, at, address, size)
    check_span(big.a, big.b, at - LUT_PAGE, MIB, LUT_PAGE)
    check_canaries(big.a, address, size)
    check_nothing(big.b, at + size)


def test_window_over_the_whole_memory_map_has_the_holes_of_the_peer(big):
    big.a.open_direct(big.b, 4, 0, 16 * GIB)
    at = big.b.bar[4]
    for address in (MIB, LOW_END - 8, HIGH, HIGH_END - 8):
        big.a.store(address, 8, address | 0x55)
        assert big.b.load(at + address, 8) == address | 0x55
    for address in (LOW_END, 0xF0000000, HIGH_END, 15 * GIB, 16 * GIB - 8):
        check_nothing(big.b, at + address)
    rom = big.a.load(HIGH - 8, 8)
    big.b.store(at + HIGH - 8, 8, ~rom & ONES[8])
    assert big.b.load(at + HIGH - 8, 8) == big.a.load(HIGH - 8, 8) == rom
    # An access across the end of RAM: each byte by itself.
    big.a.write(LOW_END - 4, b"\x11\x22\x33\x44")
    assert big.b.read(at + LOW_END - 4, 8) == b"\x11\x22\x33\x44\xff\xff\xff\xff"


def test_windows_of_both_hosts_at_once(big):
    big.a.open_direct(big.b, 4, 256 * MIB, MIB)
    big.b.open_direct(big.a, 4, 512 * MIB, MIB)
    big.b.write(big.b.bar[4], FILL)
    big.a.write(big.a.bar[4], FILL[::-1])
    assert big.a.read(256 * MIB, len(FILL)) == FILL
    assert big.b.read(512 * MIB, len(FILL)) == FILL[::-1]


def test_retargeted_window_shows_the_new_place_only(big):
    for address, value in ((64 * MIB, 0x64), (96 * MIB, 0x96)):
        big.a.write(address, bytes([value]) * 4 * KIB)
    big.a.open_direct(big.b, 4, 64 * MIB, MIB)
    assert big.b.load(big.b.bar[4], 1) == 0x64
    big.a.open_direct(big.b, 4, 96 * MIB, MIB)
    assert big.b.load(big.b.bar[4], 1) == 0x96
    big.b.store(big.b.bar[4], 1, 0x11)
    assert (big.a.load(64 * MIB, 1), big.a.load(96 * MIB, 1)) == (0x64, 0x11)


def test_only_the_window_that_changed_is_mapped_anew(pair):
    pair.a.open_lut(pair.b, {0: MIB, 2: 4 * MIB})
    pair.a.open_direct(pair.b, 4, 32 * MIB, MIB)
    before = len(pair.b.trace("switchtec_ntb_window_map"))
    pair.a.open_lut(pair.b, {2: 5 * MIB})
    maps = pair.b.trace("switchtec_ntb_window_map")[before:]
    assert len(maps) == 1 and "BAR2 0x20000 size 0x10000 -> partition 0 0x500000" in maps[0]


def test_cleared_window_reads_all_ones_and_drops_writes(pair):
    pair.a.write(16 * MIB, FILL)
    pair.a.open_direct(pair.b, 4, 16 * MIB, MIB)
    assert pair.b.read(pair.b.bar[4], len(FILL)) == FILL
    pair.a.close_direct(pair.b, 4)
    check_nothing(pair.b, pair.b.bar[4])
    assert pair.a.read(16 * MIB, len(FILL)) == FILL


def function_level_reset(pair):
    pair.a.function_level_reset()


def secondary_bus_reset(pair):
    pair.a.secondary_bus_reset()


def system_reset(pair):
    pair.a.qmp("system_reset")
    wait_for("reset", lambda: len(pair.a.trace("switchtec_ntb_reset")) > 1)


def loss_of_bus_mastering(pair):
    pair.a.set_command(MEMORY)


def power_state_d3(pair):
    pair.a.config_write(0x60, 2, 3)


def killed(pair):
    pair.a.close(signal.SIGKILL)


@pytest.mark.parametrize("event", [function_level_reset, secondary_bus_reset, system_reset, loss_of_bus_mastering, power_state_d3])
def test_windows_are_gone_when_the_owners_event_is_over(pair, event):
    """Not some time later: the guest that comes up must find its memory its own."""
    pair.a.open_lut(pair.b, {0: MIB})
    pair.a.open_direct(pair.b, 4, 16 * MIB, MIB)
    places = [pair.b.bar[2], pair.b.bar[4]]
    assert all(pair.b.load(place, 8) != ONES[8] for place in places)
    pair.a.write(16 * MIB, FILL)
    event(pair)
    for place in places:
        check_nothing(pair.b, place)
    assert pair.a.read(16 * MIB, len(FILL)) == FILL


def test_windows_are_gone_after_the_owners_death(pair):
    pair.a.open_direct(pair.b, 4, 16 * MIB, MIB)
    assert pair.b.load(pair.b.bar[4], 8) == 0
    killed(pair)
    wait_for("all-ones", lambda: pair.b.load(pair.b.bar[4], 8) == ONES[8])
    check_nothing(pair.b, pair.b.bar[4])
    # And they stay closed until the new host's own driver opens them.
    pair.a = pair.boot(0)
    check_nothing(pair.b, pair.b.bar[4])
    pair.a.open_direct(pair.b, 4, 16 * MIB, MIB)
    assert pair.b.load(pair.b.bar[4], 8) == 0


def test_windows_come_back_with_bus_mastering(pair):
    pair.a.write(16 * MIB, FILL)
    pair.a.open_direct(pair.b, 4, 16 * MIB, MIB)
    pair.a.set_command(MEMORY)
    check_nothing(pair.b, pair.b.bar[4])
    pair.a.set_command(MEMORY | MASTER)
    wait_for("window", lambda: pair.b.read(pair.b.bar[4], len(FILL)) == FILL)


def test_reset_of_the_user_closes_its_windows(pair):
    pair.a.open_direct(pair.b, 4, 16 * MIB, MIB)
    pair.b.function_level_reset()
    pair.b.enumerate()
    check_nothing(pair.b, pair.b.bar[4])


def test_window_needs_the_requester_to_be_listed(pair):
    pair.a.open_direct(pair.b, 4, 16 * MIB, MIB)
    pair.b.configure(pair.b, (0x400, 4, 0))
    check_nothing(pair.b, pair.b.bar[4])
    pair.b.list_requesters()
    wait_for("window", lambda: pair.b.load(pair.b.bar[4], 8) == 0)


def test_windows_move_with_the_bar(pair):
    pair.a.write(16 * MIB, FILL)
    pair.a.open_direct(pair.b, 4, 16 * MIB, MIB)
    pair.b.bar[4] += 64 * GIB
    pair.b.enumerate()
    assert pair.b.read(pair.b.bar[4], len(FILL)) == FILL


def test_windows_are_gone_with_the_fabric_and_the_machine_stays(pair):
    pair.a.open_direct(pair.b, 4, 16 * MIB, MIB)
    pair.fabric.kill()
    pair.fabric.wait()
    wait_for("all-ones", lambda: pair.b.load(pair.b.bar[4], 8) == ONES[8])
    check_nothing(pair.b, pair.b.bar[4])
    assert pair.b.messages().count("its windows are closed") == 1


def test_peers_never_see_what_a_window_shows(pair):
    """A window onto the address of the peer's own endpoint reaches nothing: no request goes back to where it came from."""
    pair.a.open_direct(pair.b, 4, 16 * MIB, MIB)
    for bar in (4, 2, 0):
        pair.b.open_direct(pair.a, 4, pair.b.bar[bar], MIB)
        check_nothing(pair.a, pair.a.bar[4])


def test_firmware_and_rom_below_1_mib_are_not_written(pair):
    pair.a.open_direct(pair.b, 4, 0, MIB)
    before = pair.a.read(0xF0000, 64)
    pair.b.write(pair.b.bar[4] + 0xF0000, bytes(64))
    assert pair.a.read(0xF0000, 64) == before


def test_every_order_of_opening_and_closing(pair):
    for order in itertools.permutations(("lut", "bar2", "bar4")):
        for kind in order:
            {"lut": lambda: pair.a.open_lut(pair.b, {0: MIB}), "bar2": lambda: pair.a.open_direct(pair.b, 2, 8 * MIB, MIB),
             "bar4": lambda: pair.a.open_direct(pair.b, 4, 16 * MIB, MIB)}[kind]()
        check_span(pair.a, pair.b, pair.b.bar[2], MIB, LUT_PAGE)
        check_span(pair.a, pair.b, pair.b.bar[2] + 64 * LUT_PAGE, 8 * MIB, MIB)
        check_span(pair.a, pair.b, pair.b.bar[4], 16 * MIB, MIB)
        for kind in reversed(order):
            {"lut": lambda: pair.a.open_lut(pair.b, {0: None}), "bar2": lambda: pair.a.close_direct(pair.b, 2),
             "bar4": lambda: pair.a.close_direct(pair.b, 4)}[kind]()
        for at in (pair.b.bar[2], pair.b.bar[2] + 64 * LUT_PAGE, pair.b.bar[4]):
            check_nothing(pair.b, at)


def test_window_to_a_device_of_the_peer_reaches_its_registers(pair):
    io_apic, select, data, version, redirection = 0xFEC00000, 0, 0x10, 1, 0x10
    pair.a.open_lut(pair.b, {3: io_apic})
    at = pair.b.bar[2] + 3 * LUT_PAGE
    pair.b.store(at + select, 4, version)
    assert pair.b.load(at + data, 4) == pair.a.load(io_apic + data, 4) == 0x170020
    pair.a.store(io_apic + select, 4, redirection)
    pair.b.store(at + data, 4, 0x000100A5)
    assert pair.a.load(io_apic + data, 4) == 0x000100A5
    pair.a.open_lut(pair.b, {3: None})
    check_nothing(pair.b, at)
    assert pair.a.load(io_apic + data, 4) == 0x000100A5

// SPDX-License-Identifier: MIT
// tshark reads of a capture what the model has sent, and sees what is wrong with TLPs.
#include "traces/pcapng.h"

#include <gmock/gmock.h>

#include <cstdio>

#include "traced_run.h"
#include "traces/tlp_bytes.h"

namespace ntblab::sim {
namespace {

/// Rows of the fields, which are separated by '|'. Its complaints come to the test's own standard error.
std::vector<std::string> tshark(const std::filesystem::path& file, const std::vector<std::string>& fields,
                                const std::string& filter = "ntbtlp") {
    std::string command =
        fmt::format("tshark -n -X lua_script:{}/ntb-tlp.lua -r {} -Y '{}' -T fields -E separator='|'",
                    WIRESHARK_DIR, file.string(), filter);
    for (const std::string& field : fields) command += " -e " + field;
    std::FILE* pipe = popen(command.c_str(), "re");
    EXPECT_NE(pipe, nullptr);
    std::vector<std::string> rows;
    std::string row;
    for (int c; (c = std::fgetc(pipe)) != EOF;) {
        if (c != '\n') {
            row += static_cast<char>(c);
            continue;
        }
        rows.push_back(std::move(row));
        row.clear();
    }
    EXPECT_EQ(pclose(pipe), 0) << command;
    return rows;
}

std::string id_text(std::uint16_t id) {
    return fmt::format("{:02x}:{:02x}.{:x}", id >> 8, id >> 3 & 0x1f, id & 7);
}

/// As tshark has it, of the fields of `kFields`.
std::string expected_row(const Sent::Entry& entry) {
    const pcie::Tlp& tlp = entry.tlp;
    const bool completion = tlp.type == pcie::TlpType::completion;
    const bool read = tlp.type == pcie::TlpType::memory_read;
    const std::uint64_t dws = (tlp.address + tlp.length + 3) / 4 - tlp.address / 4;
    const std::uint64_t header = completion ? 12 : 16;
    // A comment is one of tshark's experts, too.
    std::string experts = entry.wire.again ? "replay" : "";
    if (!entry.wire.whole)
        experts +=
            fmt::format("{}The LCRC is wrong: the receiver asks for it again", entry.wire.again ? "," : "");
    return fmt::format(
        "{}.from{}|{}.{:09}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", entry.link, entry.side,
        entry.wire.begin / 1'000'000'000'000, entry.wire.begin % 1'000'000'000'000 / 1000, 2 + header,
        2 + header + (read ? 0 : 4 * dws) + 4, entry.wire.sequence % 4096, pcie::name_of(tlp), dws,
        id_text(tlp.requester), tlp.tag % 1024, completion ? "" : fmt::format("0x{:016x}", tlp.address),
        completion ? id_text(tlp.completer) : "", completion ? fmt::format("{}", tlp.remaining) : "",
        completion ? fmt::format("0x{:02x}", tlp.address % 128) : "", entry.wire.whole ? 0 : 1, experts);
}

const std::vector<std::string> kFields = {"frame.interface_name", "frame.time_epoch",
                                          "frame.cap_len",        "frame.len",
                                          "ntbtlp.seq",           "ntbtlp.type",
                                          "ntbtlp.length",        "ntbtlp.requester",
                                          "ntbtlp.tag",           "ntbtlp.address",
                                          "ntbtlp.completer",     "ntbtlp.bytecount",
                                          "ntbtlp.lower",         "frame.packet_flags_crc_error",
                                          "_ws.expert.message"};

class Pcapng : public testing::Test {
  protected:
    void run(const Watched& watched, const std::string& link = "") {
        std::unique_ptr<Traces> traces;
        watched.run(
            [&](pcie::System& system) {
                traces = std::move(Traces::create({.pcapng = path, .link = link}, system).value());
                traces->observers().add(sent);
            },
            [&](pcie::System&) {
                EXPECT_TRUE(traces->finish());
                traces.reset();
            });
        sent.sort();
        if (!link.empty())
            std::erase_if(sent.tlps, [&](const Sent::Entry& entry) { return entry.link != link; });
    }

    void expect_as_sent() {
        std::vector<std::string> expected;
        for (const Sent::Entry& entry : sent.tlps) expected.push_back(expected_row(entry));
        ASSERT_GT(expected.size(), 10U);
        EXPECT_THAT(tshark(path, kFields), testing::ElementsAreArray(expected));
    }

    Folder folder;
    std::filesystem::path path = folder / "run.pcapng";
    Sent sent;
};

TEST_F(Pcapng, TsharkReadsWhatWasSent) {
    for (const Operation operation : {Operation::pio_write, Operation::pio_read, Operation::dma_write,
                                      Operation::dma_read, Operation::doorbell}) {
        // A doorbell is one store.
        for (const std::uint64_t size : {4U, operation == Operation::doorbell ? 8U : 1000U}) {
            sent.tlps.clear();
            run({.workload = {.operation = operation, .transfers = 12, .warm_up = 0}, .size = size});
            expect_as_sent();
        }
    }
}

TEST_F(Pcapng, ReplaysAndWrongChecksumsAreMarked) {
    Watched watched;
    watched.profile = eventful_profile();
    run(watched);
    expect_as_sent();
    std::size_t again = 0, corrupt = 0;
    for (const Sent::Entry& entry : sent.tlps) {
        again += entry.wire.again ? 1 : 0;
        corrupt += entry.wire.whole ? 0 : 1;
    }
    EXPECT_GT(again, 0U);
    EXPECT_GT(corrupt, 0U);
    EXPECT_EQ(tshark(path, {"frame.number"}, "frame.comment == \"replay\"").size(), again);
    EXPECT_EQ(tshark(path, {"frame.number"}, "ntbtlp.expert.crc").size(), corrupt);
}

TEST_F(Pcapng, OneLinkMayBeEnough) {
    run({}, "sw0_1_link");
    expect_as_sent();
}

/// A file of packets that the model does not send.
class Malformed : public Pcapng {
  protected:
    using Bytes = std::vector<std::uint8_t>;

    Malformed() {
        file_.add({"test", "test", 1});
        write.type = pcie::TlpType::memory_write;
        write.address = 0x1000;
        write.length = 64;
        completion.type = pcie::TlpType::completion;
        completion.length = completion.remaining = 64;
        completion.requester = 0x0100;
    }

    /// @param change Of its header.
    void add(
        const pcie::Tlp& tlp, const std::string& expert,
        const std::function<void(Bytes& h)>& change = [](Bytes&) {}) {
        Bytes bytes = header_of(tlp);
        const auto wire = static_cast<std::uint32_t>(bytes.size()) + tlp.length + 6;
        change(bytes);
        bytes.insert(bytes.begin(), 2, 0);
        file_.add({.bytes = std::move(bytes), .length = wire}, ++packets_);
        expected_.push_back(expert);
    }
    void expect_experts() {
        EXPECT_TRUE(file_.finish());
        EXPECT_EQ(tshark(path, {"_ws.expert.message"}), expected_);
    }

    pcie::Tlp write, completion;

  private:
    PcapngFile file_{OutputFile::create(path).value()};
    pcie::Picoseconds packets_ = 0;
    std::vector<std::string> expected_;
};

TEST_F(Malformed, IsSeen) {
    add(write, "");
    add(completion, "");
    add(write, "No TLP has this Fmt and Type", [](Bytes& h) { h[0] = 0x7f; });
    add(write, "Shorter than its header", [](Bytes& h) { h.resize(14); });
    add(write, "Shorter than its header", [](Bytes& h) { h.resize(2); });
    add(write, "Byte enables do not go with the length", [](Bytes& h) { h[7] = 0x0f; });
    add(write, "It crosses a 4 KiB boundary", [](Bytes& h) { h[14] = 0x0f, h[15] = 0xfc; });
    add(write, "Its length on the wire is not that of header, payload and LCRC", [](Bytes& h) { h[3] = 8; });
    add(completion, "Byte Count is less than what it carries", [](Bytes& h) { h[7] = 32; });
    pcie::Tlp refusal = completion;
    refusal.unsupported = true;
    refusal.length = 0;
    refusal.remaining = 8;
    add(refusal, "The completer refuses the request");
    expect_experts();
    EXPECT_EQ(tshark(path, {"ntbtlp.type", "ntbtlp.bytecount"}, "ntbtlp.status == 1"),
              std::vector<std::string>{"Cpl|8"});
}

// By hand from PCIe 4.0, 2.2.
TEST(TlpBytes, AreThoseOfTheSpecification) {
    pcie::Tlp tlp;
    tlp.type = pcie::TlpType::memory_write;
    tlp.address = 0x123456789abcd;
    tlp.length = 6;  // bytes 1 to 3 of the first DW, 0 to 2 of the last
    tlp.requester = 0x1234;
    tlp.tag = 0x3a5;
    tlp.relaxed_ordering = tlp.id_ordering = true;
    EXPECT_EQ(header_of(tlp), (std::vector<std::uint8_t>{0x60, 0x8c, 0x20, 0x02, 0x12, 0x34, 0xa5, 0x7e, 0x00,
                                                         0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcc}));
    tlp.length = 2;  // both in one DW
    EXPECT_EQ(header_of(tlp)[7], 0x06);
    tlp.type = pcie::TlpType::memory_read;
    tlp.address = 0x1000;
    tlp.length = 4096;  // 1024 DW are 0
    EXPECT_EQ(header_of(tlp)[0], 0x20);
    EXPECT_EQ(header_of(tlp)[3], 0x00);
    EXPECT_EQ(header_of(tlp)[7], 0xff);
    tlp.type = pcie::TlpType::completion;
    tlp.completer = 0xabcd;
    tlp.length = 256;
    tlp.remaining = 4096;
    tlp.address = 0x10c0;
    tlp.id_ordering = false;
    EXPECT_EQ(header_of(tlp), (std::vector<std::uint8_t>{0x4a, 0x88, 0x20, 0x40, 0xab, 0xcd, 0x00, 0x00, 0x12,
                                                         0x34, 0xa5, 0x40}));
}

}  // namespace
}  // namespace ntblab::sim

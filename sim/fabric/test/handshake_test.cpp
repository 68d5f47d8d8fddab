// SPDX-License-Identifier: MIT
// What the fabric answers to those who are not what they should be.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <ntblink/packet.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <thread>

#include "cluster.h"
#include "driver.h"
#include "peer_process.h"

namespace fabric::test {
namespace {

namespace wire = ntblink::wire;
using ntblink::Received;
using ntblink::Transfer;

class HandshakeTest : public ::testing::Test {
  protected:
    // A raw connection; receiving waits.
    ntblab::UniqueFd connect() {
        ntblab::UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        cluster_.socket().copy(address.sun_path, sizeof(address.sun_path) - 1);
        EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
        return socket;
    }
    static wire::Hello hello() {
        auto message = wire::make<wire::Hello>();
        message.magic = wire::kMagic;
        message.version = wire::kVersion;
        ntblink::put_text(message.switch_name, "sw0");
        return message;
    }
    // The refusal, after which the fabric has closed the connection.
    static std::string refusal(const ntblab::UniqueFd& socket) {
        const Received received = ntblink::receive_packet(socket.get());
        if (received.status != Transfer::done) return "(closed)";
        const auto refused = received.packet.as<wire::Refused>();
        if (!refused) return "(not a refusal)";
        EXPECT_EQ(refused->version, wire::kVersion);
        EXPECT_EQ(ntblink::receive_packet(socket.get()).status, Transfer::closed);
        return ntblink::get_text(refused->text);
    }
    std::string refusal_of(const wire::Hello& message) {
        const auto socket = connect();
        EXPECT_EQ(ntblink::send_message(socket.get(), message), Transfer::done);
        return refusal(socket);
    }
    std::string refusal_of_bytes(std::span<const std::byte> bytes) {
        const auto socket = connect();
        EXPECT_EQ(ntblink::send_packet(socket.get(), bytes, {}), Transfer::done);
        return refusal(socket);
    }
    static std::string open_error(NtbEndpointConfig config) {
        char error[NTB_ERROR_SIZE] = "";
        if (config.switch_name == nullptr) config.switch_name = "sw0";
        NtbEndpoint* endpoint = ntb_endpoint_open(&config, error);
        EXPECT_EQ(endpoint, nullptr);
        ntb_endpoint_close(endpoint);
        return error;
    }
    void expect_alive() { Host host(cluster_.socket(), 0); }

    Cluster cluster_{2};
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(HandshakeTest, AnotherVersionIsToldWhichOnesMeet) {
    auto message = hello();
    message.version = wire::kVersion + 1;
    const std::string text = refusal_of(message);
    EXPECT_SAYS(text, fmt::format("speaks protocol {}, the client {}", wire::kVersion, wire::kVersion + 1));
    expect_alive();
}

TEST_F(HandshakeTest, AnotherVersionMayHaveALongerHello) {
    std::vector<std::byte> bytes(200);
    auto message = hello();
    message.version = 7;
    message.header.size = 200;
    std::memcpy(bytes.data(), &message, sizeof(message));
    const std::string text = refusal_of_bytes(bytes);
    EXPECT_SAYS(text, "the client 7");
}

TEST_F(HandshakeTest, AnotherMagicIsNoEndpoint) {
    auto message = hello();
    message.magic ^= 1;
    const std::string text = refusal_of(message);
    EXPECT_SAYS(text, "magic");
}

TEST_F(HandshakeTest, UnknownSwitchIsToldWhichThereAre) {
    auto message = hello();
    ntblink::put_text(message.switch_name, "sw9");
    const std::string text = refusal_of(message);
    EXPECT_SAYS(text, "no switch 'sw9'");
    EXPECT_SAYS(text, "sw0");
}

TEST_F(HandshakeTest, SwitchNameWithoutItsEndIsNoNameOfOurs) {
    auto message = hello();
    std::memset(message.switch_name, 'x', sizeof(message.switch_name));
    const std::string text = refusal_of(message);
    EXPECT_SAYS(text, "no switch 'xxx");
}

TEST_F(HandshakeTest, UnknownPartitionIsToldTheRange) {
    NtbEndpointConfig config{};
    const std::string socket = cluster_.socket();
    config.fabric_socket = socket.c_str();
    config.partition = 2;
    const std::string text = open_error(config);
    EXPECT_SAYS(text, "partitions 0 to 1");
    config.partition = UINT32_MAX;
    EXPECT_SAYS(open_error(config), "partitions 0 to 1");
}

TEST_F(HandshakeTest, SecondHostIsToldThePidOfTheFirst) {
    PeerProcess first(cluster_.socket(), 0, [](Host& host) {
        service_until_told(host);
        return 0;
    });
    NtbEndpointConfig config{};
    const std::string socket = cluster_.socket();
    config.fabric_socket = socket.c_str();
    const std::string text = open_error(config);
    EXPECT_SAYS(text, "already attached");
    EXPECT_SAYS(text, "process " + std::to_string(first.pid()));
}

TEST_F(HandshakeTest, OverridesShowInTheEndpointAndEndWithIt) {
    NtbEndpointConfig config{};
    const std::string socket = cluster_.socket();
    config.fabric_socket = socket.c_str();
    config.switch_name = "sw0";
    config.bar2_size = 32U << 20;
    config.bar4_size = 1U << 20;
    config.vectors = 8;
    char error[NTB_ERROR_SIZE] = "";
    NtbEndpoint* endpoint = ntb_endpoint_open(&config, error);
    ASSERT_NE(endpoint, nullptr) << error;
    NtbEndpointInfo info;
    ntb_endpoint_info(endpoint, &info);
    EXPECT_EQ(info.bar2_size, 32U << 20);
    EXPECT_EQ(info.bar4_size, 1U << 20);
    EXPECT_EQ(info.vectors, 8);
    ntb_endpoint_close(endpoint);

    config.bar2_size = config.bar4_size = config.vectors = 0;
    endpoint = ntb_endpoint_open(&config, error);
    ASSERT_NE(endpoint, nullptr) << error;
    ntb_endpoint_info(endpoint, &info);
    EXPECT_EQ(info.bar0_size, 4U << 20);
    EXPECT_EQ(info.bar2_size, 16U << 20);
    EXPECT_EQ(info.bar4_size, 8ULL << 30);
    EXPECT_EQ(info.vectors, 4);
    EXPECT_EQ(info.vendor_id, 0x11F8);
    EXPECT_EQ(info.device_id, 0x4052);
    EXPECT_EQ(info.class_code, 0x068000U);
    EXPECT_EQ(info.link_generation, 4);
    EXPECT_EQ(info.link_width, 16);
    EXPECT_EQ(info.msix_table_offset, 0x76000U);
    EXPECT_EQ(info.msix_pba_offset, 0x77000U);
    ntb_endpoint_close(endpoint);
}

TEST_F(HandshakeTest, OverridesOutOfRangeAreRefused) {
    NtbEndpointConfig config{};
    const std::string socket = cluster_.socket();
    config.fabric_socket = socket.c_str();
    config.bar2_size = 3U << 20;
    EXPECT_SAYS(open_error(config), "bar2_size");
    config.bar2_size = 0;
    config.vectors = 33;
    EXPECT_SAYS(open_error(config), "vectors");
    expect_alive();
}

TEST_F(HandshakeTest, PartitionWithoutAHostInTheTopologyIsRefused) {
    FabricConfig config = star(2);
    config.switches[0].nodes[1] = "";
    Cluster other(config);
    NtbEndpointConfig endpoint{};
    const std::string socket = other.socket();
    endpoint.fabric_socket = socket.c_str();
    endpoint.partition = 1;
    EXPECT_SAYS(open_error(endpoint), "no NT endpoint in the topology");
}

TEST_F(HandshakeTest, GarbageOfEverySizeIsRefused) {
    for (std::size_t size = 1; size <= 512; size += size < 32 ? 1 : 53) {
        std::vector<std::byte> bytes(size);
        for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 37 + size);
        const std::string text = refusal_of_bytes(bytes);
        EXPECT_SAYS(text, "not of this protocol");
    }
    expect_alive();
}

TEST_F(HandshakeTest, EveryCutOfAHelloIsRefused) {
    const auto message = hello();
    const auto bytes = std::as_bytes(std::span(&message, 1));
    for (std::size_t size = 1; size < bytes.size(); ++size)
        EXPECT_NE(refusal_of_bytes(bytes.first(size)), "(closed)");
    expect_alive();
}

TEST_F(HandshakeTest, TooLongAMessageIsRefused) {
    const std::vector<std::byte> bytes(ntblink::kMaxPacketSize + 1);
    EXPECT_SAYS(refusal_of_bytes(bytes), "longer than any");
}

TEST_F(HandshakeTest, EmptyMessageEndsTheConnection) {
    const auto socket = connect();
    ASSERT_EQ(ntblink::send_packet(socket.get(), {}, {}), Transfer::done);
    EXPECT_EQ(ntblink::receive_packet(socket.get()).status, Transfer::closed);
}

TEST_F(HandshakeTest, DescriptorsWithAHelloAreRefusedAndClosed) {
    const std::size_t before = descriptors_of(cluster_.pid());
    const std::vector<int> fds(ntblink::kMaxPacketFds, 0);
    const auto socket = connect();
    ASSERT_EQ(ntblink::send_message(socket.get(), hello(), fds), Transfer::done);
    EXPECT_SAYS(refusal(socket), "descriptors came");
    EXPECT_TRUE(cluster_.comes_to_descriptors(before));
}

TEST_F(HandshakeTest, MessagesOutOfTurnAreRefused) {
    for (const bool attached : {false, true}) {
        for (int kind = 0; kind < 4; ++kind) {
            const auto socket = connect();
            if (attached) {
                ASSERT_EQ(ntblink::send_message(socket.get(), hello()), Transfer::done);
                ASSERT_TRUE(ntblink::receive_packet(socket.get()).packet.as<wire::Welcome>());
            }
            const auto send = [&](const auto& message) { ntblink::send_message(socket.get(), message); };
            if (kind == 0) send(wire::make<wire::Done>());
            if (kind == 1) send(wire::make<wire::Welcome>());
            if (kind == 2) attached ? send(wire::make<wire::Inspect>()) : send(wire::make<wire::Detach>());
            if (kind == 3) attached ? send(hello()) : send(wire::make<wire::RamTable>());
            EXPECT_SAYS(refusal(socket), "not allowed at this point");
        }
    }
    expect_alive();
}

TEST_F(HandshakeTest, RamWithTooManyDescriptorsOrRangesKeepsTheConnection) {
    const auto socket = connect();
    ASSERT_EQ(ntblink::send_message(socket.get(), hello()), Transfer::done);
    ASSERT_TRUE(ntblink::receive_packet(socket.get()).packet.as<wire::Welcome>());
    auto table = wire::make<wire::RamTable>();
    table.count = 1;
    const std::vector<int> fds(ntblink::kMaxPacketFds, 0);
    ASSERT_EQ(ntblink::send_message(socket.get(), table, fds), Transfer::done);
    EXPECT_TRUE(ntblink::receive_packet(socket.get()).packet.as<wire::Refused>());
    table.count = 0xFFFFFFFF;
    ASSERT_EQ(ntblink::send_message(socket.get(), table), Transfer::done);
    EXPECT_TRUE(ntblink::receive_packet(socket.get()).packet.as<wire::Refused>());
    table.count = 0;
    ASSERT_EQ(ntblink::send_message(socket.get(), table), Transfer::done);
    EXPECT_TRUE(ntblink::receive_packet(socket.get()).packet.as<wire::Done>());
}

TEST_F(HandshakeTest, HundredHostsThatComeAndGoLeaveNoDescriptor) {
    const std::size_t in_fabric = descriptors_of(cluster_.pid());
    const std::size_t here = descriptors_of(::getpid());
    for (int i = 0; i < 100; ++i) {
        Host a(cluster_.socket(), 0);
        Host b(cluster_.socket(), 1);
    }
    EXPECT_TRUE(cluster_.comes_to_descriptors(in_fabric));
    EXPECT_EQ(descriptors_of(::getpid()), here);
}

TEST_F(HandshakeTest, PathThatIsTooLongIsSaid) {
    NtbEndpointConfig config{};
    const std::string path(200, 'x');
    config.fabric_socket = path.c_str();
    EXPECT_SAYS(open_error(config), "200 characters");
}

}  // namespace
}  // namespace fabric::test

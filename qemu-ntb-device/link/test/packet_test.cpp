// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <ntblink/packet.h>
#include <sys/socket.h>

#include "memory_file.h"

namespace ntblink {
namespace {

class PacketTest : public ::testing::Test {
  protected:
    PacketTest() {
        int pair[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
        near_.reset(pair[0]);
        far_.reset(pair[1]);
    }
    ntblab::UniqueFd near_;
    ntblab::UniqueFd far_;
};

TEST_F(PacketTest, MessageArrivesWhole) {
    auto done = wire::make<wire::Done>();
    done.epoch = 0x0123456789ABCDEF;
    ASSERT_EQ(send_message(near_.get(), done), Transfer::done);
    const Received received = receive_packet(far_.get());
    ASSERT_EQ(received.status, Transfer::done);
    ASSERT_TRUE(received.packet.as<wire::Done>());
    EXPECT_EQ(received.packet.as<wire::Done>()->epoch, 0x0123456789ABCDEF);
}

TEST_F(PacketTest, MessageIsNotTakenForOneOfAnotherType) {
    // Report and Detach differ in size, Inspect and Done in type only.
    ASSERT_EQ(sizeof(wire::Inspect), sizeof(wire::Done));
    ASSERT_EQ(send_message(near_.get(), wire::make<wire::Inspect>()), Transfer::done);
    const Received received = receive_packet(far_.get());
    ASSERT_EQ(received.status, Transfer::done);
    EXPECT_FALSE(received.packet.as<wire::Done>());
    EXPECT_FALSE(received.packet.as<wire::Detach>());
    EXPECT_TRUE(received.packet.as<wire::Inspect>());
}

TEST_F(PacketTest, ShortMessageIsNone) {
    const auto done = wire::make<wire::Done>();
    const auto bytes = std::as_bytes(std::span(&done, 1));
    for (std::size_t size = 1; size < bytes.size(); ++size) {
        ASSERT_EQ(send_packet(near_.get(), bytes.first(size), {}), Transfer::done);
        EXPECT_FALSE(receive_packet(far_.get()).packet.as<wire::Done>()) << size;
    }
}

TEST_F(PacketTest, SizeFieldThatLiesIsSeen) {
    auto done = wire::make<wire::Done>();
    done.header.size = 4000;
    ASSERT_EQ(send_message(near_.get(), done), Transfer::done);
    EXPECT_FALSE(receive_packet(far_.get()).packet.as<wire::Done>());
}

TEST_F(PacketTest, DescriptorsArriveInOrder) {
    const auto first = test::memory_file(4096);
    const auto second = test::memory_file(8192);
    const int fds[] = {first.get(), second.get()};
    ASSERT_EQ(send_message(near_.get(), wire::make<wire::Welcome>(), fds), Transfer::done);
    const Received received = receive_packet(far_.get());
    ASSERT_EQ(received.packet.fds.size(), 2U);
    EXPECT_EQ(::lseek(received.packet.fds[0].get(), 0, SEEK_END), 4096);
    EXPECT_EQ(::lseek(received.packet.fds[1].get(), 0, SEEK_END), 8192);
    EXPECT_NE(::fcntl(received.packet.fds[0].get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(PacketTest, MostDescriptorsThatTheKernelTakesArrive) {
    const auto file = test::memory_file(4096);
    const std::vector<int> fds(kMaxPacketFds, file.get());
    ASSERT_EQ(send_message(near_.get(), wire::make<wire::Welcome>(), fds), Transfer::done);
    EXPECT_EQ(receive_packet(far_.get()).packet.fds.size(), kMaxPacketFds);
    const std::vector<int> more(kMaxPacketFds + 1, file.get());
    EXPECT_EQ(send_message(near_.get(), wire::make<wire::Welcome>(), more), Transfer::malformed);
}

TEST_F(PacketTest, TooLongPacketIsMalformed) {
    const std::vector<std::byte> bytes(kMaxPacketSize + 1);
    ASSERT_EQ(send_packet(near_.get(), bytes, {}), Transfer::done);
    EXPECT_EQ(receive_packet(far_.get()).status, Transfer::malformed);
}

TEST_F(PacketTest, NothingThereAndNobodyThereDiffer) {
    EXPECT_EQ(receive_packet(far_.get()).status, Transfer::would_block);
    near_.reset();
    EXPECT_EQ(receive_packet(far_.get()).status, Transfer::closed);
    EXPECT_EQ(send_message(far_.get(), wire::make<wire::Done>()), Transfer::closed);
}

TEST_F(PacketTest, FullSocketWouldBlock) {
    Transfer status = Transfer::done;
    for (int i = 0; i < 100000 && status == Transfer::done; ++i) {
        status = send_message(near_.get(), wire::make<wire::RamTable>());
    }
    EXPECT_EQ(status, Transfer::would_block);
}

TEST(TextField, IsCutAndEnded) {
    char field[4] = {'x', 'x', 'x', 'x'};
    put_text(field, "abcdef");
    EXPECT_EQ(get_text(field), "abc");
    const char unended[3] = {'a', 'b', 'c'};
    EXPECT_EQ(get_text(unended), "abc");
}

}  // namespace
}  // namespace ntblink

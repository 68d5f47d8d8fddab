// SPDX-License-Identifier: MIT
#include "pcie/encoding.h"

#include <gtest/gtest.h>

namespace ntblab::pcie {
namespace {

// pcie-bench/pcie-model; generation 6: 236 of 256 bytes of a FLIT.
TEST(Encoding, LineRates) {
    EXPECT_DOUBLE_EQ(Encoding(1, 8).gigabits(), 16.0);
    EXPECT_DOUBLE_EQ(Encoding(2, 8).gigabits(), 32.0);
    EXPECT_NEAR(Encoding(3, 8).gigabits(), 63.015, 5e-4);
    EXPECT_NEAR(Encoding(3, 16).gigabits(), 126.031, 5e-4);
    EXPECT_NEAR(Encoding(4, 16).gigabits(), 252.062, 5e-4);
    EXPECT_NEAR(Encoding(5, 16).gigabits(), 504.123, 5e-4);
    EXPECT_DOUBLE_EQ(Encoding(6, 16).gigabits(), 944.0);
}

TEST(Encoding, TicksAreWhatTheRateSays) {
    for (unsigned generation = 1; generation <= 6; ++generation)
        for (const unsigned lanes : {1U, 2U, 4U, 8U, 16U}) {
            const Encoding wire(generation, lanes);
            const double picoseconds = static_cast<double>(wire.ticks(236'000'000)) / kTicksPerPicosecond;
            EXPECT_NEAR(8.0 * 236e6 / picoseconds, wire.gigabits() / 1000, 1e-9)
                << generation << " x" << lanes;
        }
}

TEST(Encoding, BytesOfTlpsOnTheWire) {
    TlpPool pool;
    const Encoding wire(3, 8);
    Tlp& write = pool.make(TlpType::memory_write);
    write.length = 100;
    EXPECT_EQ(wire.tlp_bytes(write), 100U + 24);
    Tlp& read = pool.make(TlpType::memory_read);
    read.length = 512;
    EXPECT_EQ(wire.tlp_bytes(read), 24U);
    Tlp& completion = pool.make(TlpType::completion);
    completion.length = 256;
    EXPECT_EQ(wire.tlp_bytes(completion), 256U + 20);
    EXPECT_EQ(kDllpBytes, 8U);
}

// Whole DWs: the bytes beside the payload are not enabled.
TEST(Encoding, DataIsOfWholeDws) {
    TlpPool pool;
    const Encoding wire(3, 8);
    Tlp& write = pool.make(TlpType::memory_write);
    for (const auto& [address, length, data] : {std::tuple{0U, 1U, 4U},
                                                {0U, 4U, 4U},
                                                {3U, 1U, 4U},
                                                {3U, 2U, 8U},
                                                {1U, 255U, 256U},
                                                {1U, 256U, 260U}}) {
        write.address = address;
        write.length = length;
        EXPECT_EQ(wire.tlp_bytes(write), 24 + data) << address << ", " << length;
        EXPECT_EQ(data_credits(write), (data + 15) / 16);
        EXPECT_EQ(payload_bytes(write), length);
    }
}

// PCIe 5.0, tables 2-46 to 2-48.
TEST(Encoding, HowLateAcknowledgementsMayBe) {
    EXPECT_EQ(Encoding(1, 1).update_latency_symbols(128), 237U);
    EXPECT_EQ(Encoding(3, 8).update_latency_symbols(256), 203U);
    EXPECT_EQ(Encoding(3, 16).update_latency_symbols(256), 168U);
}

TEST(Encoding, RefusesWhatThereIsNot) {
    EXPECT_THROW(Encoding(0, 8), std::invalid_argument);
    EXPECT_THROW(Encoding(7, 8), std::invalid_argument);
    EXPECT_THROW(Encoding(4, 12), std::invalid_argument);
    EXPECT_THROW(Encoding(4, 32), std::invalid_argument);
}

}  // namespace
}  // namespace ntblab::pcie

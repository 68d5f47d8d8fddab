// SPDX-License-Identifier: MIT
// What goes over the fabric's socket: one struct per message, one message per SOCK_SEQPACKET packet, in the
// byte order of the machine (both ends run on it). docs/protocol.md tells the conversation.
//
//     auto hello = ntblink::wire::make<ntblink::wire::Hello>();
//     hello.partition = 0;
//     ntblink::send_message(socket, hello);
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ntblink::wire {

inline constexpr std::uint64_t kMagic = 0x4B4E494C4254'4E00;  ///< "\0NTBLINK" in memory.
inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::size_t kMaxRamRanges = 4096;
inline constexpr std::uint64_t kEverybody = ~std::uint64_t{0};  ///< As RamTable::viewers.
inline constexpr std::size_t kSwitchNameSize = 64;
inline constexpr std::size_t kTextSize = 496;

enum class Type : std::uint32_t {
    hello = 1,    ///< endpoint -> fabric: attach me
    welcome = 2,  ///< fabric -> endpoint: attached; with the descriptors of the switch
    refused = 3,  ///< fabric -> any: why not; after hello and inspect the connection ends
    ram = 4,      ///< endpoint -> fabric: my RAM; fabric -> endpoint: a peer's RAM. With its descriptors
    done = 5,     ///< fabric -> endpoint: answers ram and detach
    detach = 6,   ///< endpoint -> fabric: my host goes away
    inspect = 7,  ///< anyone -> fabric: what is the state of everything
    report = 8,   ///< fabric -> anyone: with a descriptor of the answer
};

struct Header {
    Type type;
    std::uint32_t size;  ///< Bytes of the whole packet, this header included.
};
static_assert(sizeof(Header) == 8);

/// The first message of an endpoint. `magic` and `version` stay where they are in every version.
struct Hello {
    static constexpr Type kType = Type::hello;
    Header header;
    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t partition;
    std::uint64_t bar2_size;  ///< Bytes; 0: as the topology says. Likewise the next two.
    std::uint64_t bar4_size;
    std::uint8_t vectors;
    std::uint8_t reserved[7];
    char switch_name[kSwitchNameSize];  ///< Ends with a zero byte.
};
static_assert(sizeof(Hello) == 112);

/// Descriptors: the switch's shared memory, then one eventfd for each partition, in their order.
struct Welcome {
    static constexpr Type kType = Type::welcome;
    Header header;
    std::uint32_t version;
    std::uint32_t partitions;
    std::uint64_t segment_size;  ///< Bytes of the shared memory.
    std::uint64_t epoch;         ///< As in RamTable.
};
static_assert(sizeof(Welcome) == 32);

struct Refused {
    static constexpr Type kType = Type::refused;
    Header header;
    std::uint32_t version;  ///< The fabric's.
    std::uint32_t reserved;
    char text[kTextSize];  ///< A sentence for a person; ends with a zero byte.
};
static_assert(sizeof(Refused) == 512);

/// `size` bytes at bus address `address` of a host are at `fd_offset` of file `file`.
struct RamRange {
    std::uint64_t address;
    std::uint64_t size;
    std::uint64_t fd_offset;
    std::uint32_t file;  ///< Which of the descriptors after the first.
    std::uint32_t reserved;
};
static_assert(sizeof(RamRange) == 32);

/// All RAM that one host gives to some of its peers; replaces what they were told before. Descriptors, unless
/// `count` is 0: a sealed file of `count` RamRanges, then the files that these name.
struct RamTable {
    static constexpr Type kType = Type::ram;
    Header header;
    std::uint32_t partition;  ///< Whose RAM. From an endpoint: its own.
    std::uint32_t count;      ///< Of ranges.
    std::uint64_t
        epoch;  ///< From the fabric: the receiver has now been told of every change up to this one. Else 0.
    std::uint64_t
        viewers;  ///< From an endpoint: for whom, one bit per partition. From the fabric: the receiver.
};
static_assert(sizeof(RamTable) == 32);

struct Done {
    static constexpr Type kType = Type::done;
    Header header;
    std::uint64_t epoch;    ///< As in RamTable.
    std::uint64_t changed;  ///< The epoch that the answered message brought about; 0: none.
};
static_assert(sizeof(Done) == 24);

struct Detach {
    static constexpr Type kType = Type::detach;
    Header header;
};
static_assert(sizeof(Detach) == 8);

struct Inspect {
    static constexpr Type kType = Type::inspect;
    Header header;
    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t reserved;
};
static_assert(sizeof(Inspect) == 24);

/// One descriptor: a file with `length` bytes of JSON from its beginning.
struct Report {
    static constexpr Type kType = Type::report;
    Header header;
    std::uint64_t length;
};
static_assert(sizeof(Report) == 16);

/// A message of type M with its header filled in and everything else zero.
template <typename M>
M make() {
    static_assert(std::is_trivially_copyable_v<M> && std::is_standard_layout_v<M>);
    M message{};
    message.header = {M::kType, sizeof(M)};
    return message;
}

}  // namespace ntblink::wire

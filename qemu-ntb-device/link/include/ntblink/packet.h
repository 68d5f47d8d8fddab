// SPDX-License-Identifier: MIT
// Messages of protocol.h through a SOCK_SEQPACKET socket, with file descriptors beside them.
//
//     ntblink::send_message(socket, ntblink::wire::make<ntblink::wire::Detach>());
//     ntblink::Received received = ntblink::receive_packet(socket);
//     if (auto done = received.packet.as<ntblink::wire::Done>()) use(done->epoch);
#pragma once

#include <ntblab/unique_fd.h>
#include <ntblink/protocol.h>

#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ntblink {

inline constexpr std::size_t kMaxPacketSize = 4096;  ///< More than any message has.
inline constexpr std::size_t kMaxPacketFds = 253;    ///< The kernel's limit (SCM_MAX_FD).

struct Packet {
    std::array<std::byte, kMaxPacketSize> bytes;
    std::size_t size = 0;
    std::vector<ntblab::UniqueFd> fds;

    /// The message, if it is a whole one of type M.
    template <typename M>
    std::optional<M> as() const {
        M message;
        if (size != sizeof(M)) return std::nullopt;
        std::memcpy(&message, bytes.data(), sizeof(M));
        if (message.header.type != M::kType || message.header.size != sizeof(M)) return std::nullopt;
        return message;
    }
};

enum class Transfer {
    done,
    would_block,  ///< Not now; the socket is non-blocking.
    closed,       ///< The other side is gone.
    malformed,    ///< Longer than any message, or descriptors were lost on the way.
};

struct Received {
    Transfer status = Transfer::closed;
    Packet packet;  ///< Valid when `status` is `done`.
};

/// One packet, if there is one. An empty packet counts as the other side's end, as the kernel reports both
/// alike.
Received receive_packet(int socket);

/// Sends `bytes` as one packet; the descriptors stay the caller's.
Transfer send_packet(int socket, std::span<const std::byte> bytes, std::span<const int> fds);

template <typename M>
Transfer send_message(int socket, const M& message, std::span<const int> fds = {}) {
    return send_packet(socket, std::as_bytes(std::span(&message, 1)), fds);
}

/// `text`, cut to fit, in a field that ends with a zero byte.
template <std::size_t N>
void put_text(char (&field)[N], const std::string& text) {
    const std::size_t length = text.copy(field, N - 1);
    field[length] = '\0';
}

/// What a field of at most N characters says, whether or not its sender ended it with a zero byte.
template <std::size_t N>
std::string get_text(const char (&field)[N]) {
    return {field, ::strnlen(field, N)};
}

}  // namespace ntblink

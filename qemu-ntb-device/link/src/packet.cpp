// SPDX-License-Identifier: MIT
#include <ntblink/packet.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace ntblink {

namespace {

// Takes the descriptors of a received control message into ownership.
void collect_fds(msghdr& message, std::vector<ntblab::UniqueFd>& fds) {
    for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
         control = CMSG_NXTHDR(&message, control)) {
        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(control) + i * sizeof(int), sizeof(int));
            fds.emplace_back(fd);
        }
    }
}

Transfer status_of_errno() {
    return errno == EAGAIN || errno == EWOULDBLOCK ? Transfer::would_block : Transfer::closed;
}

}  // namespace

Received receive_packet(int socket) {
    Received received;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxPacketFds * sizeof(int))> control;
    iovec data{received.packet.bytes.data(), received.packet.bytes.size()};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();

    ssize_t size = 0;
    do {
        size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (size < 0 && errno == EINTR);
    if (size < 0) {
        received.status = status_of_errno();
        return received;
    }
    collect_fds(message, received.packet.fds);
    received.packet.size = static_cast<std::size_t>(size);
    if (size == 0) {
        received.status = Transfer::closed;
    } else if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        received.status = Transfer::malformed;
    } else {
        received.status = Transfer::done;
    }
    return received;
}

Transfer send_packet(int socket, std::span<const std::byte> bytes, std::span<const int> fds) {
    if (fds.size() > kMaxPacketFds) return Transfer::malformed;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxPacketFds * sizeof(int))> control{};
    iovec data{const_cast<std::byte*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    if (!fds.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(fds.size_bytes());
        cmsghdr* rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(fds.size_bytes());
        std::memcpy(CMSG_DATA(rights), fds.data(), fds.size_bytes());
    }
    ssize_t size = 0;
    do {
        size = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (size < 0 && errno == EINTR);
    if (size < 0) return status_of_errno();
    return static_cast<std::size_t>(size) == bytes.size() ? Transfer::done : Transfer::malformed;
}

}  // namespace ntblink

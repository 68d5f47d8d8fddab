// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <ntblink/inspect.h>
#include <ntblink/packet.h>
#include <sys/stat.h>
#include <unistd.h>

#include "handshake.h"

namespace ntblink {

namespace {

ntblab::Result<std::string> read_report(int fd, std::uint64_t length) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || static_cast<std::uint64_t>(status.st_size) != length) {
        return ntblab::fail(fmt::format("the fabric's report is not the {} bytes it said", length));
    }
    std::string text(length, '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t got = ::pread(fd, text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (got <= 0) {
            return ntblab::fail(
                fmt::format("the fabric's report ends after {} of {} bytes", done, text.size()));
        }
        done += static_cast<std::size_t>(got);
    }
    return text;
}

}  // namespace

ntblab::Result<std::string> inspect(const std::string& fabric_socket) {
    auto socket = connect_to_fabric(fabric_socket);
    if (!socket) return tl::unexpected(socket.error());
    auto request = wire::make<wire::Inspect>();
    request.magic = wire::kMagic;
    request.version = wire::kVersion;
    if (send_message(socket->get(), request) != Transfer::done || !wait_readable(socket->get())) {
        return ntblab::fail(fmt::format("the fabric at {} does not answer", fabric_socket));
    }
    Received received = receive_packet(socket->get());
    if (received.status == Transfer::done) {
        if (const auto refused = received.packet.as<wire::Refused>())
            return ntblab::fail(get_text(refused->text));
        const auto report = received.packet.as<wire::Report>();
        if (report && received.packet.fds.size() == 1)
            return read_report(received.packet.fds[0].get(), report->length);
    }
    return ntblab::fail(fmt::format("the answer of the fabric at {} is not of this protocol", fabric_socket));
}

}  // namespace ntblink

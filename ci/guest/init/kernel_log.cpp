// SPDX-License-Identifier: MIT
#include "kernel_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace ntblab::guest {

std::optional<LinkEvent> link_event(std::string_view record) {
    // "priority,sequence,time,flags;switchtec switchtec0: ntb link up\n SUBSYSTEM=..."
    const auto semicolon = record.find(';');
    if (semicolon == std::string_view::npos) return std::nullopt;
    std::string_view message = record.substr(semicolon + 1);
    message = message.substr(0, message.find('\n'));

    const auto colon = message.rfind(": ntb link ");
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view state = message.substr(colon + std::string_view(": ntb link ").size());
    if (state != "up" && state != "down" && state != "forced down") return std::nullopt;

    std::string_view device = message.substr(0, colon);
    device.remove_prefix(device.rfind(' ') + 1);
    return LinkEvent{std::string(device), state == "up"};
}

KernelLog::KernelLog() : fd_(open("/dev/kmsg", O_RDWR | O_NONBLOCK | O_CLOEXEC)) {
    lseek(fd_, 0, SEEK_END);
}

KernelLog::~KernelLog() {
    close(fd_);
}

std::optional<LinkEvent> KernelLog::next() {
    std::array<char, 8192> record{};
    while (true) {
        const ssize_t n = read(fd_, record.data(), record.size());
        if (n < 0 && (errno == EPIPE || errno == EINTR))
            continue;  // EPIPE: records were lost; go on with the oldest
        if (n <= 0) return std::nullopt;
        if (auto event = link_event({record.data(), static_cast<std::size_t>(n)})) return event;
    }
}

void KernelLog::say(const std::string& line) {
    const std::string record = "<3>ntblab-init: " + line + "\n";
    if (write(fd_, record.data(), record.size()) < 0) return;  // there is nobody else to tell
}

}  // namespace ntblab::guest

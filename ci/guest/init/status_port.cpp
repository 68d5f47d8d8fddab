// SPDX-License-Identifier: MIT
#include "status_port.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "config.h"

namespace ntblab::guest {

StatusPort::StatusPort(const std::string& name) {
    std::error_code error;
    for (const auto& port : std::filesystem::directory_iterator("/sys/class/virtio-ports", error)) {
        if (read_file(port.path() / "name") == name + "\n")
            fd_ =
                open(("/dev/" + port.path().filename().string()).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    }
}

StatusPort::~StatusPort() {
    if (fd_ >= 0) close(fd_);
}

void StatusPort::report(const std::string& event) {
    if (fd_ < 0) return;
    kept_ += event + "\n";
    flush();
}

void StatusPort::flush() {
    while (!kept_.empty()) {
        const ssize_t n = write(fd_, kept_.data(), kept_.size());
        if (n <= 0) return;
        kept_.erase(0, static_cast<std::size_t>(n));
    }
}

}  // namespace ntblab::guest

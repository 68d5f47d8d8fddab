// SPDX-License-Identifier: MIT
#include "files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <ntblab/unique_fd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "text.h"

namespace ntblab::lab {
namespace {

Result<void> write_all(int fd, const std::string& content) {
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t count = ::write(fd, content.data() + done, content.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(errno_message("write"));
        done += static_cast<std::size_t>(count);
    }
    return {};
}

}  // namespace

Result<std::string> find_directory(const std::filesystem::path& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path found = fs::canonical(path, error);
    if (!error && fs::is_directory(found, error)) return found.string();
    return fail(fmt::format("{}: {}; expected a directory", path.string(),
                            error ? error.message() : "is no directory"));
}

Result<std::string> read_file(const std::filesystem::path& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return fail(errno_message("cannot read " + path.string()));
    std::string content;
    std::array<char, 16384> buffer{};
    for (;;) {
        const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(errno_message("cannot read " + path.string()));
        if (count == 0) return content;
        content.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

Result<void> write_file(const std::filesystem::path& path, const std::string& content, mode_t mode) {
    const std::string temporary = path.string() + ".new";
    UniqueFd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!file) return fail(errno_message("cannot write " + path.string()));
    if (const auto written = write_all(file.get(), content); !written)
        return fail("cannot write " + path.string() + ": " + written.error().message + "; is the disk full?");
    file.reset();
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
        return fail(errno_message("cannot write " + path.string()));
    return {};
}

std::string read_if_there(const std::filesystem::path& path) {
    return read_file(path).value_or("");
}

}  // namespace ntblab::lab

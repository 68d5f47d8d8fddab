// SPDX-License-Identifier: MIT
#include "files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace ntblab::sim {
namespace fs = std::filesystem;
namespace {

tl::unexpected<Error> failed(const fs::path& path, int error) {
    return fail(
        fmt::format("{} cannot be written: {}", path.string(), std::generic_category().message(error)));
}

/// 0, or what errno was.
int put(const fs::path& path, const std::string& text) {
    std::FILE* file = std::fopen(path.c_str(), "we");
    if (file == nullptr) return errno;
    int error = std::fwrite(text.data(), 1, text.size(), file) == text.size() ? 0 : errno;
    if (std::fclose(file) != 0 && error == 0) error = errno;
    return error;
}

}  // namespace

Result<std::string> read_file(const fs::path& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
    std::string text;
    if (file) {
        char buffer[1 << 16];
        for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;)
            text.append(buffer, got);
        if (std::ferror(file.get()) == 0) return text;
    }
    return fail(fmt::format("{} cannot be read: {}", path.string(), std::generic_category().message(errno)));
}

Result<void> write_file(const fs::path& path, const std::string& text) {
    if (path == "-") {
        if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
            return failed("standard output", errno);
        return {};
    }
    if (std::error_code unknown; fs::exists(path, unknown) && !fs::is_regular_file(path, unknown)) {
        if (const int error = put(path, text); error != 0) return failed(path, error);
        return {};
    }
    const fs::path beside = path.string() + fmt::format(".{}.part", ::getpid());
    int error = put(beside, text);
    if (error == 0 && std::rename(beside.c_str(), path.c_str()) != 0) error = errno;
    if (error == 0) return {};
    std::error_code ignored;
    fs::remove(beside, ignored);
    return failed(path, error);
}

}  // namespace ntblab::sim

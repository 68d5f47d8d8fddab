// SPDX-License-Identifier: MIT
#include "files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "output_file.h"

namespace ntblab::sim {
namespace fs = std::filesystem;
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
        if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
            return {};
        return fail(
            fmt::format("standard output cannot be written: {}", std::generic_category().message(errno)));
    }
    auto file = OutputFile::create(path);
    if (!file) return tl::unexpected(file.error());
    file->write(text);
    return file->finish();
}

}  // namespace ntblab::sim

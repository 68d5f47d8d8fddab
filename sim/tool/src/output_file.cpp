// SPDX-License-Identifier: MIT
#include "output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace ntblab::sim {
namespace {

std::string reason(int error) {
    return std::generic_category().message(error);
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& path) {
    std::FILE* file = std::fopen(path.c_str(), "we");
    if (file == nullptr)
        return fail(fmt::format("{}: cannot be written: {}; give a path in a folder that is there, and yours",
                                path.string(), reason(errno)));
    return OutputFile(path, file);
}

OutputFile::~OutputFile() {
    if (file_) remove();
}

void OutputFile::write(std::string_view bytes) {
    if (failed()) return;
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail_with(errno);
}

void OutputFile::fail_with(int error) {
    if (failed()) return;
    error_ = error != 0 ? error : EIO;
    on_failure();
}

// Devices and pipes are not this program's to remove.
void OutputFile::remove() const {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path_, ignored)) std::filesystem::remove(path_, ignored);
}

Result<void> OutputFile::finish() {
    if (std::fclose(file_.release()) != 0 && !failed()) error_ = errno != 0 ? errno : EIO;
    if (!failed()) return {};
    remove();
    return fail(
        fmt::format("{}: not all of it could be written: {}; what there was is removed: make room, or "
                    "give another path",
                    path_.string(), reason(error_)));
}

}  // namespace ntblab::sim

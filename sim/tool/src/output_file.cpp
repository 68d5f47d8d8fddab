// SPDX-License-Identifier: MIT
#include "output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ntblab::sim {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> refused(const fs::path& path, int error) {
    return fail(fmt::format("{}: cannot be written: {}; give a path in a folder that is there, and yours",
                            path.string(), std::generic_category().message(error)));
}

}  // namespace

Result<OutputFile> OutputFile::create(const fs::path& path) {
    std::error_code unknown;
    const fs::file_status status = fs::status(path, unknown);
    if (fs::is_directory(status)) return refused(path, EISDIR);
    const bool device = fs::exists(status) && !fs::is_regular_file(status);
    fs::path place = fs::is_symlink(path, unknown) ? fs::weakly_canonical(path, unknown) : path;
    if (unknown) place = path;
    std::optional<Unfinished> beside;
    if (!device) beside.emplace(place.string() + fmt::format(".{}.part", ::getpid()));
    std::FILE* file = std::fopen(device ? path.c_str() : beside->path().c_str(), "we");
    if (file == nullptr) return refused(path, errno);
    return OutputFile(path, std::move(place), std::move(beside), file);
}

OutputFile::~OutputFile() {
    if (file_ && beside_) ::unlink(beside_->path().c_str());
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

Result<void> OutputFile::finish() {
    if (std::fclose(file_.release()) != 0 && !failed()) error_ = errno != 0 ? errno : EIO;
    if (!failed() && beside_ && std::rename(beside_->path().c_str(), place_.c_str()) != 0) error_ = errno;
    if (!failed()) return {};
    if (beside_) ::unlink(beside_->path().c_str());
    return fail(
        fmt::format("{}: not all of it could be written: {}; what there was of it is removed: make room, or "
                    "give another path",
                    path_.string(), std::generic_category().message(error_)));
}

}  // namespace ntblab::sim

// SPDX-License-Identifier: MIT
// A file that is written from beginning to end: all of it, or none of it is there. It grows beside its place
// and is put there at the end; a device or a pipe is written to as it is.
//
//     auto file = OutputFile::create("link.vcd");
//     if (!file) return complain(file.error().message, kUsage);
//     file->write("$timescale 1 ps $end\n");
//     if (auto done = file->finish(); !done) return complain(done.error().message, kFailure);
#pragma once

#include <ntblab/result.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "unfinished.h"

namespace ntblab::sim {

class OutputFile {
  public:
    /// Errors: the path, and why it cannot be written.
    static Result<OutputFile> create(const std::filesystem::path& path);

    OutputFile(OutputFile&&) = default;
    OutputFile& operator=(OutputFile&&) = delete;
    /// Without finish() the file's place is as it was before.
    ~OutputFile();

    /// After an error nothing more is written; finish() says which it was.
    void write(std::string_view bytes);
    bool failed() const { return error_ != 0; }
    /// Called once, at the first error.
    std::function<void()> on_failure = [] {};

    const std::filesystem::path& path() const { return path_; }
    /// Errors: the path, and why not all of it could be written. Nothing of it is there then.
    Result<void> finish();

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    OutputFile(std::filesystem::path path, std::filesystem::path place, std::optional<Unfinished> beside,
               std::FILE* file)
        : path_(std::move(path)), place_(std::move(place)), beside_(std::move(beside)), file_(file) {}
    void fail_with(int error);

    std::filesystem::path path_;   ///< As it was given,
    std::filesystem::path place_;  ///< and where links lead.
    std::optional<Unfinished> beside_;
    std::unique_ptr<std::FILE, Close> file_;
    int error_ = 0;
};

}  // namespace ntblab::sim

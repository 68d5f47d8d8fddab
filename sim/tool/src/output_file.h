// SPDX-License-Identifier: MIT
// A file that is written from beginning to end: all of it, or it is not there.
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
#include <string>
#include <string_view>

namespace ntblab::sim {

class OutputFile {
  public:
    /// Errors: the path, and why it cannot be written.
    static Result<OutputFile> create(const std::filesystem::path& path);

    OutputFile(OutputFile&&) = default;
    OutputFile& operator=(OutputFile&&) = delete;
    /// Removes it, if it is not finished.
    ~OutputFile();

    /// After an error nothing more is written; finish() says which it was.
    void write(std::string_view bytes);
    bool failed() const { return error_ != 0; }
    /// Called once, at the first error.
    std::function<void()> on_failure = [] {};

    const std::filesystem::path& path() const { return path_; }
    /// Errors: the path, and why not all of it could be written. The file is not there then.
    Result<void> finish();

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    OutputFile(std::filesystem::path path, std::FILE* file) : path_(std::move(path)), file_(file) {}
    void fail_with(int error);
    void remove() const;

    std::filesystem::path path_;
    std::unique_ptr<std::FILE, Close> file_;
    int error_ = 0;
};

}  // namespace ntblab::sim

// SPDX-License-Identifier: MIT
// A directory that is there for as long as the object lives.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace ntblab::lab {

class TemporaryDir {
  public:
    TemporaryDir() {
        std::string name = "/tmp/lab-test-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = name;
    }
    ~TemporaryDir() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryDir(const TemporaryDir&) = delete;
    TemporaryDir& operator=(const TemporaryDir&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace ntblab::lab

// SPDX-License-Identifier: MIT
#include "program.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace ntblab::sim {
namespace {

std::error_code system_error(int error) {
    return {error, std::generic_category()};
}

/// A file without a name: no pipe that fills up while the other is written.
class Memory {
  public:
    explicit Memory(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
        if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() { close(descriptor_); }

    int descriptor() const { return descriptor_; }
    void write(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t written = ::write(descriptor_, text.data(), text.size());
            if (written < 0) throw std::system_error(errno, std::generic_category(), "write");
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        lseek(descriptor_, 0, SEEK_SET);
    }
    std::string read() const {
        std::string text;
        std::array<char, 65536> some{};
        lseek(descriptor_, 0, SEEK_SET);
        for (ssize_t count; (count = ::read(descriptor_, some.data(), some.size())) > 0;)
            text.append(some.data(), static_cast<std::size_t>(count));
        return text;
    }

  private:
    int descriptor_;
};

/// Of the program's standard descriptors, which others take the places of.
class FileActions {
  public:
    FileActions() { posix_spawn_file_actions_init(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

    void replace(int standard, const Memory& memory) {
        posix_spawn_file_actions_adddup2(&actions_, memory.descriptor(), standard);
    }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

  private:
    posix_spawn_file_actions_t actions_{};
};

}  // namespace

tl::expected<Ended, std::error_code> run_program(std::vector<std::string> words,
                                                 std::optional<std::string_view> input) {
    const Memory given("input"), output("output"), errors("errors");
    FileActions actions;
    if (input) {
        given.write(*input);
        actions.replace(STDIN_FILENO, given);
        actions.replace(STDOUT_FILENO, output);
        actions.replace(STDERR_FILENO, errors);
    }
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    if (const int error =
            posix_spawnp(&child, arguments[0], actions.get(), nullptr, arguments.data(), environ);
        error != 0)
        return tl::unexpected(system_error(error));
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return tl::unexpected(system_error(errno));
    constexpr int kBySignal = 128;
    return Ended{WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status), output.read(),
                 errors.read()};
}

}  // namespace ntblab::sim

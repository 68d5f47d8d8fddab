// SPDX-License-Identifier: MIT
#include "gnuplot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "output_file.h"

namespace ntblab::sim {
namespace {

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

Result<std::string> run_gnuplot(const std::string& script) {
    const Memory input("script"), output("picture"), errors("errors");
    input.write(script);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.descriptor(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.descriptor(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors.descriptor(), STDERR_FILENO);
    std::string name = "gnuplot";
    std::array<char*, 2> arguments{name.data(), nullptr};
    pid_t child = 0;
    const int error = posix_spawnp(&child, name.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        return fail(
            fmt::format("gnuplot, which draws pictures, cannot be run: {}; install the package gnuplot-nox",
                        std::generic_category().message(error)));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::string picture = output.read();
    if (status != 0 || picture.empty()) return fail(fmt::format("gnuplot: {}", errors.read()));
    return picture;
}

}  // namespace

std::string gnuplot_text(std::string_view text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') result += c;
        result += c == '\n' ? ' ' : c;
    }
    return result + "'";
}

Result<void> gnuplot(const std::string& script, const std::filesystem::path& path, unsigned width,
                     unsigned height) {
    const std::string kind = path.extension().string();
    if (kind != ".svg" && kind != ".png")
        return fail(fmt::format("{}: a picture is an SVG or a PNG: give a name that ends in .svg or .png",
                                path.string()));
    auto file = OutputFile::create(path);
    if (!file) return tl::unexpected(file.error());
    const auto picture =
        run_gnuplot(fmt::format("set terminal {} size {},{} noenhanced font 'sans,11' background 'white'\n{}",
                                kind == ".svg" ? "svg" : "pngcairo", width, height, script));
    if (!picture) return tl::unexpected(picture.error());
    file->write(*picture);
    return file->finish();
}

}  // namespace ntblab::sim

// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "cluster_list.h"
#include "commands.h"
#include "exit_code.h"
#include "raw_terminal.h"

namespace ntblab::lab {
namespace {

using Socket = boost::asio::local::stream_protocol::socket;

constexpr char kEscape = 0x1d;  // Ctrl-]
constexpr int kMachineEnded = -1;

UniqueFd end_signals() {
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::sigaddset(&signals, number);
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    return UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC));
}

/// Copies what there is. @return false: the end, or the escape key.
bool keys_to_console(Socket& console) {
    std::array<char, 4096> buffer{};
    const ssize_t size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size <= 0) return false;
    const std::string_view keys(buffer.data(), static_cast<std::size_t>(size));
    const std::size_t escape = keys.find(kEscape);
    boost::system::error_code error;
    boost::asio::write(console, boost::asio::buffer(keys.substr(0, escape)), error);
    return !error && escape == std::string_view::npos;
}

bool console_to_screen(Socket& console) {
    std::array<char, 4096> buffer{};
    boost::system::error_code error;
    const std::size_t size = console.read_some(boost::asio::buffer(buffer), error);
    std::fwrite(buffer.data(), 1, size, stdout);
    std::fflush(stdout);
    return !error;
}

/// @return an exit code; kMachineEnded: there is no console any more.
int relay(Socket& console) {
    const UniqueFd signals = end_signals();
    const bool terminal = ::isatty(STDIN_FILENO) == 1;
    const RawTerminal raw(STDIN_FILENO);
    std::array<pollfd, 3> polled{
        {{console.native_handle(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}, {signals.get(), POLLIN, 0}}};
    for (;;) {
        if (::poll(polled.data(), polled.size(), -1) < 0) continue;
        if (polled[2].revents != 0) {
            signalfd_siginfo caught{};
            return ::read(signals.get(), &caught, sizeof(caught)) > 0
                       ? kSignalBase + static_cast<int>(caught.ssi_signo)
                       : kFailure;
        }
        if (polled[0].revents != 0 && !console_to_screen(console)) return kMachineEnded;
        if (polled[1].revents != 0 && !keys_to_console(console)) {
            if (terminal) return kOk;
            polled[1].fd = -1;  // a script may want to see the answer to what it sent
        }
    }
}

int console(const std::string& name) {
    const auto target = find_node(name);
    if (!target) return complain(target.error().message, kNotFound);
    const NodePaths files = target->paths.node(target->name);
    if (!is_alive(target->node().qemu))
        return complain(fmt::format("node '{}' does not run", name), kFailure);
    // QEMU serves one client at a time and lets a second one wait in silence.
    const UniqueFd lock(::open(files.console_log().c_str(), O_RDONLY | O_CLOEXEC));
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
        return complain(
            fmt::format("another `ntblab console {}` is open; `ntblab logs -f {}` can watch as well", name,
                        name),
            kBusy);
    boost::asio::io_context io;
    Socket socket(io);
    boost::system::error_code error;
    socket.connect(files.console_socket().string(), error);
    if (error)
        return complain(fmt::format("{}: {}", files.console_socket().string(), error.message()), kFailure);
    if (::isatty(STDIN_FILENO) == 1)
        fmt::print(stderr, "Connected to {}/{}; Ctrl-] leaves, Enter shows a prompt.\n", target->paths.name(),
                   target->name);
    const int code = relay(socket);
    if (::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\n");
    if (code == kMachineEnded) return complain(fmt::format("node '{}' was switched off", name), kFailure);
    return code;
}

}  // namespace

void add_console(CLI::App& app, CommandLine& line) {
    static std::string name;
    CLI::App* command = app.add_subcommand("console", "Use a node's serial console; Ctrl-] leaves it");
    command->add_option("NODE", name, "The node")->required();
    command->callback([&line] { line.run = [] { return console(name); }; });
}

}  // namespace ntblab::lab

// SPDX-License-Identifier: MIT
#include "remote_command.h"

#include <fmt/format.h>

#include <random>

#include "text.h"

namespace ntblab::lab {
namespace {

constexpr const char* kFolder = "/run/ntblab-exec";
/// A longer line might not fit into an argument (128 KiB) any more once it is spread.
constexpr std::size_t kSpreadLimit = 16 << 10;

std::string command_line(const std::vector<std::string>& words) {
    std::string plain = shell_join(words);
    return plain.size() <= kSpreadLimit ? shell_join_apart(words) : plain;
}

}  // namespace

std::string RemoteCommand::line() const {
    // sshd makes the shell a session leader, so its pid is the process group. The shell outlives the command
    // to tell how it ended, and so has handlers for what is sent to the group; handlers, unlike "ignore", are
    // not inherited. What the shell itself would say ("Killed") is not the command's output.
    return fmt::format(
        "mkdir -p {0} && echo $$ > {0}/{1}; trap : HUP INT QUIT TERM USR1 USR2; exec 9>&2 2>/dev/null; {2} "
        "2>&9 9>&-; r=$?; "
        "[ $r != 255 ] || echo $r > {0}/{1}.exit; rm -f {0}/{1}; exit $r",
        kFolder, token, command_line(words));
}

std::string RemoteCommand::recall_line() const {
    return fmt::format("cat {0}/{1}.exit && rm -f {0}/{1}.exit", kFolder, token);
}

std::string RemoteCommand::signal_line(int number) const {
    return fmt::format("kill -s {} -- -$(cat {}/{})", number, kFolder, token);
}

std::string random_token() {
    std::random_device device;
    return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace ntblab::lab

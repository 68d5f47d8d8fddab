// SPDX-License-Identifier: MIT
#include "remote_command.h"

#include <fmt/format.h>

#include <random>

#include "text.h"

namespace ntblab::lab {
namespace {

constexpr const char* kFolder = "/run/ntblab-exec";

}  // namespace

std::string RemoteCommand::line() const {
    // sshd makes the shell a session leader, so its pid is the process group. The shell outlives the command
    // to tell how it ended, and so has handlers for what is sent to the group; handlers, unlike "ignore", are
    // not inherited. What the shell itself would say ("Killed") is not the command's output.
    return fmt::format(
        "mkdir -p {0} && echo $$ > {0}/{1}; trap : HUP INT QUIT TERM USR1 USR2; exec 9>&2 2>/dev/null; {2} "
        "2>&9 9>&-; r=$?; "
        "[ $r != 255 ] || echo $r > {0}/{1}.exit; rm -f {0}/{1}; exit $r",
        kFolder, token, shell_join(words));
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

// SPDX-License-Identifier: MIT
// A command for the shell that sshd runs in a guest, wrapped so that its end and its process group are known.
//
//     const RemoteCommand remote{{"sh", "-c", "exit 255"}, random_token()};
//     run(ssh, remote.line());          // 255: of the command, or of ssh?
//     run(ssh, remote.recall_line());   // prints 255: of the command
#pragma once

#include <string>
#include <vector>

namespace ntblab::lab {

struct RemoteCommand {
    std::vector<std::string> words;
    std::string token;  ///< Letters and digits, different for each command.

    /// Runs the words as they are (no word is split or expanded) and exits as they do; 128 + n for signal n,
    /// as a shell's child. The words cannot be found in it, and so not in the command line of the shell
    /// (pkill -f).
    std::string line() const;
    /// Prints the exit code if it was 255, which ssh also uses for its own failures, and forgets it.
    std::string recall_line() const;
    /// Sends a signal to the command and its children.
    std::string signal_line(int number) const;
};

std::string random_token();

}  // namespace ntblab::lab

// SPDX-License-Identifier: MIT
// QEMU's monitor (QMP) as far as ntblab needs it: one command, one answer.
//
//     auto text = human_monitor_command(node.qmp_socket(), "info usernet");
#pragma once

#include <ntblab/result.h>

#include <filesystem>
#include <string>

namespace ntblab::lab {

/// Connects, runs a command of the human monitor, disconnects. @return what it printed.
/// Errors: no QEMU there; no answer within ten seconds (another client keeps the monitor); the command
/// failed.
Result<std::string> human_monitor_command(const std::filesystem::path& socket, const std::string& command);

/// The port on 127.0.0.1 that is forwarded to port 22 of the guest, from the answer to "info usernet".
Result<unsigned> forwarded_ssh_port(const std::string& info_usernet);

}  // namespace ntblab::lab

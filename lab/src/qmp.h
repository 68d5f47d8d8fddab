// SPDX-License-Identifier: MIT
// QEMU's monitor (QMP) as far as ntblab needs it: one command, one answer.
//
//     auto text = human_monitor_command(node.qmp_socket(), "info usernet");
#pragma once

#include <ntblab/result.h>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ntblab::lab {

/// Connects, runs a command of QMP, disconnects. @return what it returned, as JSON.
/// Errors: no QEMU there; no answer within ten seconds (another client keeps the monitor); the command
/// failed.
Result<nlohmann::json> monitor_command(const std::filesystem::path& socket, const std::string& command,
                                       const nlohmann::json& arguments);

/// Likewise a command of the human monitor. @return what it printed.
Result<std::string> human_monitor_command(const std::filesystem::path& socket, const std::string& command);

/// The port on 127.0.0.1 that is forwarded to port 22 of the guest, from the answer to "info usernet".
Result<unsigned> forwarded_ssh_port(const std::string& info_usernet);

}  // namespace ntblab::lab

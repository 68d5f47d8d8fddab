// SPDX-License-Identifier: MIT
// The firmware commands. Their numbers, layouts and errors are those that Microsemi/switchtec-user 4.5 uses
// (lib/ and inc/switchtec/mrpc.h); a command that it does not describe ends with "bad command".
#pragma once

#include <cstdint>
#include <span>

#include "state.h"

namespace switchtec::mrpc {

/// A command under way, of `partition`'s host. `output` is all zero.
struct Call {
    State& s;
    unsigned partition;
    std::span<const std::uint8_t, 1024> input;
    std::span<std::uint8_t, 1024> output;
};

// Return values: 0, or why it failed (switchtec-user 4.5, inc/switchtec/errors.h).
inline constexpr std::uint32_t kSuccess = 0;
inline constexpr std::uint32_t kBadSubcommand = 0x64004, kBadCommand = 0x64005, kBadParameter = 0x64006,
                               kDenied = 0x64010, kBadStack = 0x100001, kBadPort = 0x100002,
                               kAccessRefused = 0xFFFF0001;

std::uint32_t execute(const Call& call, std::uint32_t command);

// mrpc_device.cpp: the device as a whole, and its registers.
std::uint32_t ping(const Call& call);
std::uint32_t echo(const Call& call);
/// Synthetic: there is no die. See kTemperature.
std::uint32_t temperature(const Call& call);
std::uint32_t permissions(const Call& call);
std::uint32_t gas_read(const Call& call);
std::uint32_t gas_write(const Call& call);

// mrpc_ports.cpp
std::uint32_t link_status(const Call& call);
/// Reports what is bound; the binding cannot be changed, as every port is an upstream port.
std::uint32_t binding(const Call& call);
/// Reports the bifurcation of a stack; it cannot be changed.
std::uint32_t bifurcation(const Call& call);

// mrpc_pmon.cpp
std::uint32_t performance(const Call& call);

// mrpc_firmware.cpp: nothing can be downloaded.
std::uint32_t download(const Call& call);
std::uint32_t part_info(const Call& call);
std::uint32_t multi_config(const Call& call);
std::uint32_t read_flash(const Call& call);

// mrpc_log.cpp
std::uint32_t read_log(const Call& call);
std::uint32_t log_definitions(const Call& call);

}  // namespace switchtec::mrpc

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "bytes.h"
#include "gas.h"
#include "identity.h"
#include "mrpc_commands.h"
#include "switchtec/gas.h"

namespace switchtec::mrpc {
namespace {

struct Command {
    std::uint16_t number;
    bool gen3;  ///< Also of Gen3 switches.
    std::uint32_t (*run)(const Call&);
};

constexpr Command kCommands[] = {
    {0x04, true, temperature}, {0x05, true, download},        {0x06, true, read_log},
    {0x07, true, performance}, {0x0B, true, bifurcation},     {0x0C, true, binding},
    {0x1C, true, link_status}, {0x1D, true, multi_config},    {0x1F, true, read_flash},
    {0x29, true, gas_read},    {0x2B, false, part_info},      {0x34, true, gas_write},
    {0x37, true, permissions}, {0x3B, true, log_definitions}, {0x41, true, echo},
    {0x100, false, ping},
};

constexpr std::uint8_t kPhaseFirmware = 3;
// 1/100 degrees Celsius, of each sensor. Ours: a constant.
constexpr std::uint32_t kTemperature = 4500;
constexpr unsigned kGen5Sensors = 4;
constexpr std::size_t kLongestGasRead = 512;

void put_complement(const Call& call, std::size_t offset) {
    put(call.output, offset, ~get(call.input, 0, 4), 4);
}

// The registers of MRPC itself are not reached by MRPC: such a command would run inside of a command.
std::uint32_t check_gas_access(std::uint64_t offset, std::uint64_t length, std::uint64_t longest) {
    if (length == 0 || length > longest || offset + length > kGasSize) return kBadParameter;
    return offset < SwitchtecMrpcStride ? kAccessRefused : kSuccess;
}

// Calls access(offset, bytes before, size) for naturally aligned pieces, as the firmware's own bus would.
template <typename Access>
void in_pieces(std::uint32_t offset, std::uint32_t length, Access access) {
    for (std::uint32_t done = 0; done < length;) {
        unsigned size = 8;
        while ((offset + done) % size != 0 || size > length - done) size /= 2;
        access(offset + done, done, size);
        done += size;
    }
}

}  // namespace

std::uint32_t execute(const Call& call, std::uint32_t number) {
    const auto* command = std::ranges::find(kCommands, number, &Command::number);
    if (command == std::end(kCommands)) return kBadCommand;
    if (!command->gen3 && identity(call.s).generation == 3) return kBadCommand;
    return command->run(call);
}

// Word 0: [7:0] boot phase, [11:8] revision, [15:12] generation; word 1: the complement of the input.
std::uint32_t ping(const Call& call) {
    put(call.output, 0, kPhaseFirmware | (identity(call.s).generation - 4) << 12, 4);
    put_complement(call, 4);
    return kSuccess;
}

std::uint32_t echo(const Call& call) {
    put_complement(call, 0);
    return kSuccess;
}

std::uint32_t temperature(const Call& call) {
    constexpr std::uint8_t kMeasure = 1, kGet = 2, kGetGen5 = 4;
    const unsigned generation = identity(call.s).generation;
    const std::uint8_t subcommand = call.input[0];
    if (generation == 3 && subcommand == kMeasure) return kSuccess;
    if (subcommand != (generation == 5 ? kGetGen5 : kGet)) return kBadSubcommand;
    for (unsigned i = 0; i < (generation == 5 ? kGen5Sensors : 1U); ++i)
        put(call.output, std::size_t{4} * i, kTemperature, 4);
    return kSuccess;
}

// A bit for each command that is there.
std::uint32_t permissions(const Call& call) {
    for (const Command& command : kCommands) {
        if (!command.gen3 && identity(call.s).generation == 3) continue;
        call.output[command.number / 8] |= static_cast<std::uint8_t>(1U << command.number % 8);
    }
    return kSuccess;
}

std::uint32_t gas_read(const Call& call) {
    const auto offset = static_cast<std::uint32_t>(get(call.input, 0, 4));
    const auto length = static_cast<std::uint32_t>(get(call.input, 4, 4));
    if (const auto error = check_gas_access(offset, length, kLongestGasRead)) return error;
    in_pieces(offset, length, [&](std::uint32_t at, std::uint32_t done, unsigned size) {
        put(call.output, done, gas::read(call.s, call.partition, at, size), size);
    });
    return kSuccess;
}

std::uint32_t gas_write(const Call& call) {
    constexpr std::size_t kHeader = 8;
    const auto offset = static_cast<std::uint32_t>(get(call.input, 0, 4));
    const auto length = static_cast<std::uint32_t>(get(call.input, 4, 4));
    if (const auto error = check_gas_access(offset, length, call.input.size() - kHeader)) return error;
    in_pieces(offset, length, [&](std::uint32_t at, std::uint32_t done, unsigned size) {
        gas::write(call.s, call.partition, at, get(call.input, kHeader + done, size), size);
    });
    return kSuccess;
}

}  // namespace switchtec::mrpc

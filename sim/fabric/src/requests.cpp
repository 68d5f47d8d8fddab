// SPDX-License-Identifier: MIT
// What the fabric does with each message: docs/protocol.md, as code.
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "server.h"

namespace fabric {

namespace wire = ntblink::wire;
using ntblink::Transfer;

namespace {

ntblab::UniqueFd file_with(const std::string& text) {
    ntblab::UniqueFd file(::memfd_create("ntb-fabric-report", MFD_CLOEXEC));
    std::size_t done = 0;
    while (file && done < text.size()) {
        const ssize_t written = ::write(file.get(), text.data() + done, text.size() - done);
        if (written < 0) return {};
        done += static_cast<std::size_t>(written);
    }
    return file;
}

bool hung_up(const Connection& connection) {
    pollfd entry{connection.socket.get(), POLLRDHUP, 0};
    return ::poll(&entry, 1, 0) > 0;
}

// What is wrong with the first words of a client; empty: nothing.
template <typename M>
std::string greeting_problem(const M& message) {
    if (message.magic != wire::kMagic)
        return "this is no ntblab endpoint: its first message has another magic number";
    if (message.version == wire::kVersion) return {};
    return fmt::format("this fabric speaks protocol {}, the client {}; start both from one build",
                       wire::kVersion, message.version);
}

// A hello of any version and size: the fields that never move.
std::optional<wire::Hello> hello_of_any_version(const ntblink::Packet& packet) {
    constexpr std::size_t kFixed = offsetof(wire::Hello, partition);
    if (packet.size < kFixed) return std::nullopt;
    auto hello = wire::make<wire::Hello>();
    std::memcpy(&hello, packet.bytes.data(), kFixed);
    if (hello.header.type != wire::Type::hello || hello.header.size != packet.size) return std::nullopt;
    return hello;
}

}  // namespace

void Fabric::Server::handle(Connection& connection, ntblink::Packet& packet) {
    const bool fresh = connection.state == Connection::State::fresh;
    const bool attached = connection.state == Connection::State::attached;
    if (const auto table = packet.as<wire::RamTable>(); table && attached) {
        return ram(connection, *table, std::move(packet.fds));
    }
    if (!packet.fds.empty()) return reject(connection, "descriptors came with a message that has none");
    if (const auto message = packet.as<wire::Inspect>(); message && fresh)
        return inspect(connection, *message);
    if (packet.as<wire::Detach>() && attached) return detach(connection);
    if (const auto message = packet.as<wire::Hello>(); message && fresh) return hello(connection, *message);
    if (const auto other = hello_of_any_version(packet); other && fresh) {
        const std::string problem = greeting_problem(*other);
        return reject(connection, problem.empty() ? "a hello of this version has another size" : problem);
    }
    reject(connection, "a message is not of this protocol, or not allowed at this point of the conversation");
}

void Fabric::Server::hello(Connection& connection, const wire::Hello& message) {
    if (const std::string problem = greeting_problem(message); !problem.empty())
        return reject(connection, problem);
    const std::string name = ntblink::get_text(message.switch_name);
    const auto sw =
        std::find_if(switches_.begin(), switches_.end(), [&](const Switch& s) { return s.name() == name; });
    if (sw == switches_.end()) {
        std::string known;
        for (const Switch& s : switches_) known += (known.empty() ? "" : ", ") + s.name();
        return reject(connection,
                      fmt::format("there is no switch '{}' in this cluster; there is: {}", name, known));
    }
    if (message.partition < sw->partitions()) {
        // The end of the one before may not have been read yet.
        Connection* before = sw->holder(message.partition);
        if (before != nullptr && hung_up(*before)) drop(*before);
    }
    if (auto attached = sw->attach(connection, message); !attached)
        return reject(connection, attached.error().message);
    if (connection.state == Connection::State::broken) return;
    sw->tell(connection);
}

void Fabric::Server::ram(Connection& connection, const wire::RamTable& table,
                         std::vector<ntblab::UniqueFd> fds) {
    auto done = connection.sw->set_ram(connection, table, std::move(fds));
    if (!done) return refuse(connection, done.error().message);
    reply(connection, *done);
}

void Fabric::Server::detach(Connection& connection) {
    connection.sw->detach(connection);
    spdlog::info("{} partition {}: process {} detached", connection.sw->name(), connection.partition,
                 connection.pid);
    reply(connection, connection.sw->done(connection, 0));
}

void Fabric::Server::inspect(Connection& connection, const wire::Inspect& message) {
    if (const std::string problem = greeting_problem(message); !problem.empty())
        return reject(connection, problem);
    nlohmann::json document{
        {"protocol", wire::kVersion}, {"pid", ::getpid()}, {"switches", nlohmann::json::array()}};
    for (Switch& sw : switches_) document["switches"].push_back(sw.inspect());
    const std::string text = document.dump();
    const ntblab::UniqueFd file = file_with(text);
    if (!file) return reject(connection, "the fabric has no memory left for the report");
    auto report = wire::make<wire::Report>();
    report.length = text.size();
    const std::array<int, 1> fds{file.get()};
    reply(connection, report, fds);
}

template <typename M>
void Fabric::Server::reply(Connection& connection, const M& message, std::span<const int> fds) {
    if (ntblink::send_message(connection.socket.get(), message, fds) == Transfer::done) return;
    // It asked and does not listen.
    drop(connection);
}

void Fabric::Server::refuse(Connection& connection, const std::string& text) {
    spdlog::warn("process {}: refused: {}", connection.pid, text);
    auto message = wire::make<wire::Refused>();
    message.version = wire::kVersion;
    ntblink::put_text(message.text, text);
    reply(connection, message);
}

void Fabric::Server::reject(Connection& connection, const std::string& text) {
    refuse(connection, text);
    drop(connection);
}

}  // namespace fabric

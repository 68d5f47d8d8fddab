// SPDX-License-Identifier: MIT
#include "ssh.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "files.h"
#include "process.h"
#include "run_dir.h"
#include "text.h"

namespace ntblab::lab {
namespace {

constexpr const char* kHostAlias = "ntblab-guest";
constexpr std::chrono::seconds kBootLimit{120};
constexpr std::chrono::milliseconds kBootPoll{100};

/// ssh expands %-sequences in the names of its files.
std::string literal(const std::string& path) {
    std::string result;
    for (const char c : path) result += c == '%' ? std::string("%%") : std::string(1, c);
    return result;
}

std::string read_to_end(int fd) {
    std::string result;
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t size = ::read(fd, buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return result;
        result.append(buffer.data(), static_cast<std::size_t>(size));
    }
}

/// Whether the guest's present boot has come to where its sshd listens.
bool listens(const std::filesystem::path& status_log) {
    bool result = false;
    for (const std::string& line : split(read_if_there(status_log), '\n')) {
        if (line == "power-on" || line == "userspace") result = false;
        if (line == "ssh") result = true;
    }
    return result;
}

}  // namespace

Ssh::Ssh(const ClusterPaths& cluster, const NodeState& node)
    : cluster_(cluster),
      files_(cluster.node(node.name)),
      node_(node),
      boots_(count_boots(files_.status_log())),
      socket_(files_.ssh_socket(boots_.count)) {}

/// What ssh and scp both take.
std::vector<std::string> Ssh::options(const std::string& master) const {
    std::vector<std::string> result = {"-F", "none", "-i", literal(cluster_.ssh_key())};
    for (const std::string& option :
         std::vector<std::string>{"ControlMaster=" + master, "IdentitiesOnly=yes", "IdentityAgent=none",
                                  "BatchMode=yes", "LogLevel=ERROR", "StrictHostKeyChecking=yes",
                                  fmt::format("ControlPath=\"{}\"", literal(socket_)),
                                  fmt::format("UserKnownHostsFile=\"{}\"", literal(cluster_.known_hosts())),
                                  "GlobalKnownHostsFile=/dev/null", std::string("HostKeyAlias=") + kHostAlias,
                                  // The fastest on an emulated processor; both ends are on this machine.
                                  "KexAlgorithms=curve25519-sha256", "HostKeyAlgorithms=ssh-ed25519",
                                  // Far more than a guest on a busy machine needs; one that hangs shall not
                                  // hang its user for ever.
                                  "ConnectTimeout=120", "ServerAliveInterval=30", "ServerAliveCountMax=10",
                                  fmt::format("Port={}", node_.ssh_port)})
        result.insert(result.end(), {"-o", option});
    return result;
}

std::vector<std::string> Ssh::base_command(const std::string& master) const {
    auto result = options(master);
    result.insert(result.begin(), "ssh");
    return result;
}

std::vector<std::string> Ssh::copy_command(const std::vector<std::string>& arguments) const {
    auto result = options("no");
    result.insert(result.begin(), "scp");
    result.insert(result.end(), arguments.begin(), arguments.end());
    return result;
}

bool Ssh::connected() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_.copy(static_cast<char*>(address.sun_path), sizeof(address.sun_path) - 1);
    const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

Result<void> Ssh::connect() {
    if (connected()) return {};
    if (!is_alive(node_.qemu))
        return fail(fmt::format("node '{}' does not run; `ntblab start {}/{}` boots it", node_.name,
                                cluster_.name(), node_.name));
    const auto lock = DirectoryLock::lock(files_.dir);
    if (!lock) return fail("cluster '" + cluster_.name() + "' is gone");
    if (connected()) return {};
    // Before that it refuses connections. Afterwards ssh will find out by itself what is wrong.
    const auto end = std::chrono::steady_clock::now() + kBootLimit;
    while (!listens(files_.status_log()) && is_alive(node_.qemu) && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(kBootPoll);
    std::error_code ignored;
    std::filesystem::remove(socket_, ignored);
    std::filesystem::remove(files_.ssh_log(), ignored);
    auto log = open_log(files_.ssh_log());
    if (!log) return tl::unexpected(log.error());
    auto arguments = base_command("yes");
    arguments.insert(arguments.end(), {"-o", "ControlPersist=yes", "-N", "-f", "root@127.0.0.1"});
    auto master = spawn(
        {.arguments = arguments, .environment = environment(), .error = log->get(), .new_session = true});
    if (!master) return tl::unexpected(master.error());
    if (exit_code_of(master->wait()) == 0 && connected()) {
        boots_ = count_boots(files_.status_log());  // the guest may have come to user space meanwhile
        return {};
    }
    const auto reason = last_lines(read_if_there(files_.ssh_log()), 3);
    return fail(fmt::format("node '{}' cannot be reached by ssh: {}; it is: {}; look at `ntblab logs {}/{}`",
                            node_.name, reason.empty() ? "the connection was closed" : reason.back(),
                            last_status(files_.status_log()), cluster_.name(), node_.name));
}

std::vector<std::string> Ssh::command(const std::string& line, bool terminal) const {
    auto result = base_command("no");
    result.insert(result.end(), {terminal ? "-t" : "-T", "root@127.0.0.1"});
    if (!line.empty()) result.insert(result.end(), {"--", line});
    return result;
}

std::vector<std::string> Ssh::environment() const {
    return {fmt::format("{}={}", kClusterMark, cluster_.dir.string())};
}

Result<std::string> Ssh::capture(const std::string& line) const {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(errno_message("pipe"));
    const UniqueFd reading(ends[0]);
    UniqueFd writing(ends[1]);
    auto child = spawn({.arguments = command(line),
                        .environment = environment(),
                        .output = writing.get(),
                        .new_session = true});
    if (!child) return tl::unexpected(child.error());
    writing.reset();
    std::string output = read_to_end(reading.get());
    const int code = exit_code_of(child->wait());
    if (code != 0)
        return fail(fmt::format("'{}' on node '{}' failed with exit code {}", line, node_.name, code));
    return output;
}

Result<void> make_ssh_keys(const ClusterPaths& paths) {
    std::vector<Child> running;
    for (const auto& [file, comment] :
         {std::pair{paths.ssh_key(), "ntblab"}, {paths.ssh_host_key(), kHostAlias}}) {
        auto child =
            spawn({.arguments = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", file}});
        if (!child) return fail(child.error().message + "; install openssh-client");
        running.push_back(std::move(*child));
    }
    bool made = true;
    for (Child& child : running) made = exit_code_of(child.wait()) == 0 && made;
    const auto host_key = read_file(paths.ssh_host_key().string() + ".pub");
    if (!made || !host_key)
        return fail("ssh-keygen could not write keys to " + paths.dir.string() + "; is the disk full?");
    return write_file(paths.known_hosts(), std::string(kHostAlias) + " " + *host_key);
}

}  // namespace ntblab::lab

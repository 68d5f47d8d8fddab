// SPDX-License-Identifier: MIT
#include <fabric/run_dir.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace fabric {

namespace {

using ntblab::UniqueFd;

tl::unexpected<ntblab::Error> failure(const std::string& what) {
    return ntblab::fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

ntblab::Result<void> make_private_directory(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failure("making run directory " + path);
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return failure("run directory " + path);
    if (!S_ISDIR(status.st_mode))
        return ntblab::fail("run directory " + path + " is not a directory; choose another");
    if (status.st_uid != ::geteuid() || (status.st_mode & 077) != 0) {
        return ntblab::fail(fmt::format(
            "run directory {} belongs to user {} with mode {:04o}, expected user {} and 0700; make "
            "it private or choose another",
            path, status.st_uid, status.st_mode & 07777, ::geteuid()));
    }
    return {};
}

// The lock is the kernel's and goes with its holder; the file only says who that is.
ntblab::Result<UniqueFd> lock_directory(const std::string& path) {
    const std::string file = path + "/fabric.lock";
    UniqueFd lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock) return failure("opening " + file);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return failure("locking " + file);
        std::array<char, 32> holder{};
        const ssize_t size = ::pread(lock.get(), holder.data(), holder.size() - 1, 0);
        return ntblab::fail(
            fmt::format("another ntb-fabric (pid {}) serves {}; stop it or choose another run directory",
                        size > 0 ? holder.data() : "unknown", path));
    }
    const std::string pid = std::to_string(::getpid());
    if (::ftruncate(lock.get(), 0) != 0 || ::pwrite(lock.get(), pid.data(), pid.size(), 0) < 0) {
        return failure("writing " + file);
    }
    return lock;
}

ntblab::Result<UniqueFd> listen_on(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) {
        return ntblab::fail(fmt::format(
            "socket path {} has {} characters, at most {} are allowed; choose a shorter run directory", path,
            path.size(), sizeof(address.sun_path) - 1));
    }
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    UniqueFd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!listener) return failure("creating a socket");
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failure("removing the old socket " + path);
    const mode_t old_mask = ::umask(0177);
    const int bound = ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    const int error = errno;
    ::umask(old_mask);
    errno = error;
    if (bound != 0 || ::listen(listener.get(), SOMAXCONN) != 0) return failure("listening on " + path);
    return listener;
}

}  // namespace

ntblab::Result<RunDir> RunDir::take(const std::string& path) {
    if (auto made = make_private_directory(path); !made) return tl::unexpected(made.error());
    auto lock = lock_directory(path);
    if (!lock) return tl::unexpected(lock.error());
    std::string socket_path = path + "/fabric.sock";
    auto listener = listen_on(socket_path);
    if (!listener) return tl::unexpected(listener.error());
    return RunDir(std::move(*lock), std::move(*listener), std::move(socket_path));
}

RunDir::RunDir(UniqueFd lock, UniqueFd listener, std::string socket_path)
    : lock_(std::move(lock)), listener_(std::move(listener)), socket_path_(std::move(socket_path)) {}

RunDir::~RunDir() {
    if (listener_) ::unlink(socket_path_.c_str());
}

}  // namespace fabric

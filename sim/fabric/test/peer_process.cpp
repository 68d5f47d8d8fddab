// SPDX-License-Identifier: MIT
#include "peer_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <stdexcept>

#include "driver.h"
#include "inherited.h"

namespace fabric::test {

namespace {

int told_fd = -1;  ///< In a play's process: hangs up when it is told to end.

[[noreturn]] void perform(const std::string& socket, unsigned partition, const Play& play, int attached) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_inherited({attached, told_fd});
    forget_hosts();
    int result = 99;
    try {
        Host host(socket, partition);
        admit_cpu(host);
        if (::write(attached, "\n", 1) != 1) ::_exit(98);
        ::close(attached);
        result = play(host);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "host of partition %u: %s\n", partition, error.what());
    }
    ::_exit(result);
}

}  // namespace

PeerProcess::PeerProcess(const std::string& socket, unsigned partition, const Play& play) {
    std::array<int, 2> attached{};
    std::array<int, 2> end{};
    if (::pipe2(attached.data(), O_CLOEXEC) != 0 || ::pipe2(end.data(), O_CLOEXEC) != 0)
        throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
        ::close(end[1]);
        ::close(attached[0]);
        told_fd = end[0];
        perform(socket, partition, play, attached[1]);
    }
    ::close(attached[1]);
    ::close(end[0]);
    end_ = end[1];
    char byte = 0;
    const bool there = ::read(attached[0], &byte, 1) == 1;
    ::close(attached[0]);
    if (!there) throw std::runtime_error("the other host did not attach");
}

PeerProcess::~PeerProcess() {
    tell_to_end();
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

void PeerProcess::tell_to_end() {
    if (end_ >= 0) ::close(end_);
    end_ = -1;
}

int PeerProcess::ended(int status) {
    pid_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int PeerProcess::join() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return ended(status);
}

int PeerProcess::join(const Host& meanwhile) {
    int status = 0;
    while (::waitpid(pid_, &status, WNOHANG) == 0) {
        pollfd entry{ntb_endpoint_fd(*meanwhile), POLLIN, 0};
        ::poll(&entry, 1, 5);
        meanwhile.service();
    }
    return ended(status);
}

bool told_to_end() {
    pollfd entry{told_fd, POLLIN, 0};
    return ::poll(&entry, 1, 0) > 0;
}

void service_until_told(Host& host) {
    for (;;) {
        std::array<pollfd, 2> entries{pollfd{ntb_endpoint_fd(*host), POLLIN, 0}, pollfd{told_fd, POLLIN, 0}};
        ::poll(entries.data(), entries.size(), -1);
        host.service();
        if (entries[1].revents != 0) return;
    }
}

}  // namespace fabric::test

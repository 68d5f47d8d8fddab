// SPDX-License-Identifier: MIT
// A host in another process. It services its endpoint from the start and obeys one command at a time.
//
//     PeerProcess b(cluster.socket(), 1);
//     b.run([](Host& host) { ring(host, 3); });
//     ::kill(b.pid(), SIGKILL);
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "host.h"

namespace fabric::test {

/// What the other process does; it returns a number for `PeerProcess::join`.
using Play = std::function<int(Host&)>;

class PeerProcess {
  public:
    /// Forks a process which attaches as `partition`, admits its CPU to windows, then plays. Returns when it
    /// has come to play; throws if it has not.
    PeerProcess(const std::string& socket, unsigned partition, const Play& play);
    PeerProcess(const PeerProcess&) = delete;
    PeerProcess& operator=(const PeerProcess&) = delete;
    ~PeerProcess();

    pid_t pid() const { return pid_; }
    /// Tells the play that it may end; see below.
    void tell_to_end();
    /// Waits for its end. What the play returned; 128 + signal if it was killed.
    int join();
    /// The same, servicing `meanwhile`, without which the other's end may have to wait.
    int join(const Host& meanwhile);

  private:
    int ended(int status);

    pid_t pid_;
    int end_ = -1;  ///< Closed to tell.
};

/// In a play: whether the test has told it to end.
bool told_to_end();
/// In a play: services until the test tells it to end.
void service_until_told(Host& host);

}  // namespace fabric::test

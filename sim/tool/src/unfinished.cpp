// SPDX-License-Identifier: MIT
#include "unfinished.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

namespace ntblab::sim {
namespace {

constexpr std::array kSignals = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};

sigset_t signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kSignals) sigaddset(&set, signal);
    return set;
}

class Blocked {
  public:
    Blocked() {
        const sigset_t set = signals();
        sigprocmask(SIG_BLOCK, &set, &before_);
    }
    Blocked(const Blocked&) = delete;
    Blocked& operator=(const Blocked&) = delete;
    ~Blocked() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

}  // namespace

std::list<Unfinished::Entry>& Unfinished::entries() {
    static std::list<Entry> all;
    return all;
}

// Only what POSIX allows in handlers. The signal, which is blocked, comes again when this returns.
void Unfinished::end_by(int signal) {
    for (const Entry& entry : entries())
        if (entry.owner == ::getpid()) ::unlink(entry.path.c_str());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void remove_unfinished_at_signals() {
    Unfinished::entries();  // makes the list
    for (const int signal : kSignals) {
        struct sigaction action {};
        sigaction(signal, nullptr, &action);
        if (action.sa_handler == SIG_IGN) continue;
        action = {};
        action.sa_handler = &Unfinished::end_by;
        action.sa_mask = signals();
        sigaction(signal, &action, nullptr);
    }
}

Unfinished::Unfinished(std::string path) {
    const Blocked blocked;
    entry_ = entries().insert(entries().end(), {std::move(path), ::getpid()});
}

Unfinished::Unfinished(Unfinished&& other) noexcept : entry_(std::exchange(other.entry_, std::nullopt)) {}

Unfinished::~Unfinished() {
    if (!entry_) return;
    const Blocked blocked;
    entries().erase(*entry_);
}

}  // namespace ntblab::sim

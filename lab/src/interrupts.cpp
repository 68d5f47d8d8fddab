// SPDX-License-Identifier: MIT
#include "interrupts.h"

#include <csignal>

namespace ntblab::lab {

Interrupts::Interrupts(boost::asio::io_context& io, std::function<void(int)> on_signal)
    : signals_(io), on_signal_(std::move(on_signal)) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now {};
        if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) signals_.add(number);
    }
    wait();
}

void Interrupts::wait() {
    signals_.async_wait([this](const boost::system::error_code& error, int number) {
        if (error) return;
        if (!caught_) caught_ = number;
        on_signal_(number);
        wait();
    });
}

}  // namespace ntblab::lab

// SPDX-License-Identifier: MIT
#include "services.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace ntblab::guest {
namespace {

[[noreturn]] void become(const std::vector<std::string>& command, const StartOptions& options) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    setsid();
    const bool interactive = !options.terminal.empty();
    const int fd = interactive ? open(options.terminal.c_str(), O_RDWR)
                               : open(options.output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd >= 0) {
        if (interactive) {
            ioctl(fd, TIOCSCTTY, 0);
            dup2(fd, STDIN_FILENO);
        }
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        if (fd > STDERR_FILENO) close(fd);
    }
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    for (const auto& variable : options.environment) putenv(const_cast<char*>(variable.c_str()));
    execv(arguments[0], arguments.data());
    _exit(127);
}

}  // namespace

pid_t start(const std::vector<std::string>& command, const StartOptions& options) {
    const pid_t pid = fork();
    if (pid == 0) become(command, options);
    return pid;
}

std::optional<Exited> reap() {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) return std::nullopt;
    return Exited{pid, WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

}  // namespace ntblab::guest

// SPDX-License-Identifier: MIT
// The guest's init, and under other names what ends a guest: reboot, poweroff and halt. These go straight to
// the kernel: nothing in a guest outlives it.
#include <sys/reboot.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "stages.h"

int main(int, char** argv) {
    std::string_view name = argv[0];
    name.remove_prefix(name.rfind('/') + 1);
    if (name == "reboot" || name == "poweroff" || name == "halt") {
        sync();
        reboot(name == "reboot" ? RB_AUTOBOOT : RB_POWER_OFF);
        std::perror(argv[0]);
        return 1;
    }
    if (getpid() != 1) {
        std::fprintf(stderr, "%s: runs as process 1 of a guest only\n", argv[0]);
        return 1;
    }
    if (name == "init") ntblab::guest::run_early();
    ntblab::guest::run_system();
}

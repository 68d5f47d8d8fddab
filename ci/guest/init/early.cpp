// SPDX-License-Identifier: MIT
// The first half, in the initrd: loads the few modules without which there is no root file system, mounts the
// shared read-only image below a RAM disk of the guest's own, and goes on there.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "stages.h"

namespace ntblab::guest {
namespace {

constexpr auto root_device = "/dev/vda";

// Init must not return: the kernel's panic shows the reason on the console, and obeys panic= on the command
// line.
[[noreturn]] void give_up(const std::string& what) {
    std::fprintf(stderr, "ntblab-init: %s: %s\n", what.c_str(), std::strerror(errno));
    _exit(1);
}

void mount_or_give_up(const char* source, const char* target, const char* type, unsigned long flags,
                      const char* data) {
    mkdir(target, 0755);
    if (mount(source, target, type, flags, data) != 0)
        give_up(std::string("cannot mount ") + type + " on " + target);
}

void load_modules() {
    std::ifstream list("/modules/list");
    for (std::string name; std::getline(list, name);) {
        const int fd = open(("/modules/" + name).c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) != 0 && errno != EEXIST))
            give_up("cannot load the module " + name);
        close(fd);
        unlink(("/modules/" + name).c_str());
    }
}

}  // namespace

void run_early() {
    mount_or_give_up("dev", "/dev", "devtmpfs", MS_NOSUID, "mode=0755");
    mount_or_give_up("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
    mount_or_give_up("sys", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
    load_modules();

    if (access(root_device, F_OK) != 0)
        give_up(std::string(root_device) + " (a virtio disk with the guest image) is missing");
    mount_or_give_up(root_device, "/image", "erofs", MS_RDONLY, nullptr);
    mount_or_give_up("upper", "/upper", "tmpfs", 0, "mode=0755");
    mkdir("/upper/files", 0755);
    mkdir("/upper/work", 0755);
    mount_or_give_up("root", "/root", "overlay", 0,
                     "lowerdir=/image,upperdir=/upper/files,workdir=/upper/work");
    for (const char* kept : {"/dev", "/proc", "/sys"}) {
        if (mount(kept, (std::string("/root") + kept).c_str(), nullptr, MS_MOVE, nullptr) != 0)
            give_up(std::string("cannot move ") + kept);
    }
    if (chdir("/root") != 0 || mount(".", "/", nullptr, MS_MOVE, nullptr) != 0 || chroot(".") != 0)
        give_up("cannot change to the new root");
    execl("/sbin/ntblab-init", "ntblab-init", nullptr);
    give_up("cannot run /sbin/ntblab-init");
}

}  // namespace ntblab::guest

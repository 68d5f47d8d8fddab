// SPDX-License-Identifier: MIT
// The second half: one loop over the ends of children, the kernel's log, the network and what sshd says of
// itself.
#include <fcntl.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <filesystem>
#include <string>

#include "config.h"
#include "kernel_log.h"
#include "network.h"
#include "services.h"
#include "stages.h"
#include "status_port.h"

namespace ntblab::guest {
namespace {

const std::string told_by_host = "/sys/firmware/qemu_fw_cfg/by_name/opt/ntblab/";
constexpr auto notify_path = "/run/ntblab.notify";

void mount_system_trees() {
    const auto add = [](const char* type, const char* target, unsigned long flags, const char* data) {
        mkdir(target, 0755);
        mount(type, target, type, flags, data);
    };
    add("devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC, "mode=620,ptmxmode=666,gid=5");
    add("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777");
    add("tmpfs", "/run", MS_NOSUID | MS_NODEV, "mode=0755");
    add("tmpfs", "/tmp", MS_NOSUID | MS_NODEV, "mode=1777");
    add("debugfs", "/sys/kernel/debug", 0, nullptr);
    add("configfs", "/sys/kernel/config", 0, nullptr);
    mkdir("/run/sshd", 0755);
    mkdir("/run/lock", 01777);
}

void set_identity(const Config& config) {
    sethostname(config.node.c_str(), config.node.size());
    write_file("/etc/hostname", config.node + "\n", 0644);
    const auto hosts = read_file(told_by_host + "hosts/raw");
    write_file("/etc/hosts", hosts.empty() ? "127.0.0.1 localhost\n" : hosts, 0644);
    // One key pair and one host key for all guests of a cluster: each is root at each.
    mkdir("/root/.ssh", 0700);
    write_file("/root/.ssh/id_ed25519", read_file(told_by_host + "ssh_key/raw"), 0600);
    write_file("/root/.ssh/known_hosts", "* " + read_file(told_by_host + "ssh_host_key.pub/raw"), 0644);
    write_file("/root/.ssh/authorized_keys", read_file(told_by_host + "authorized_keys/raw"), 0600);
    write_file("/etc/ssh/ssh_host_ed25519_key", read_file(told_by_host + "ssh_host_key/raw"), 0600);
}

// A directory of the host. The kernel loads the modules for it. @return why not, or "".
std::string mount_share(const std::string& tag) {
    mkdir("/share", 0755);
    constexpr auto options = "trans=virtio,version=9p2000.L,msize=262144,cache=none";
    return mount(tag.c_str(), "/share", "9p", 0, options) == 0 ? "" : std::strerror(errno);
}

// RDMA programs register (lock) memory, and tests open many files.
void raise_limits() {
    const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
    const rlimit files{65536, 65536};
    setrlimit(RLIMIT_MEMLOCK, &unlimited);
    setrlimit(RLIMIT_NOFILE, &files);
}

int open_child_signals() {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, nullptr);
    return signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC);
}

// The socket on which sshd says READY=1 once it listens (sd_notify).
int open_notify_socket() {
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, notify_path, sizeof(address.sun_path) - 1);
    if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return fd;
    close(fd);
    return -1;  // poll() passes over it: only the event "ssh" is lost
}

// The PCI address of the switch whose management device has that name.
std::string pci_address(const std::string& device) {
    std::error_code error;
    const auto path = std::filesystem::canonical("/sys/class/switchtec/" + device + "/device", error);
    return error ? device : path.filename().string();
}

class System {
  public:
    explicit System(Config config)
        : config_(std::move(config)),
          modules_(config_.modules.begin(), config_.modules.end()),
          children_(open_child_signals()),
          notify_(open_notify_socket()),
          network_(config_) {}

    [[noreturn]] void run() {
        status_.report("userspace");
        if (!config_.share.empty())
            if (const auto problem = mount_share(config_.share); !problem.empty())
                status_.report("share-failed " + problem);
        load_next_module();
        start_shell();
        start({"/usr/sbin/sshd", "-D"},
              {.output = "/run/sshd.log", .environment = {std::string("NOTIFY_SOCKET=") + notify_path}});
        while (true) {
            wait();
            handle_children();
            while (const auto event = log_.next())
                status_.report((event->up ? "link-up " : "link-down ") + pci_address(event->device));
            for (const auto& name : network_.handle_events()) status_.report("net-up " + name);
            handle_notifications();
            status_.flush();
        }
    }

  private:
    void wait() {
        std::array<pollfd, 5> sources{{{children_, POLLIN, 0},
                                       {log_.fd(), POLLIN, 0},
                                       {network_.fd(), POLLIN, 0},
                                       {notify_, POLLIN, 0},
                                       {status_.pending() ? status_.fd() : -1, POLLOUT, 0}}};
        poll(sources.data(), sources.size(), -1);
    }

    void start_shell() {
        shell_ = start({"/bin/bash", "--login"}, {.terminal = "/dev/ttyS0", .environment = {"TERM=vt220"}});
    }

    void load_next_module() {
        if (modules_.empty()) {
            status_.report("drivers");
            return;
        }
        loading_ = start({"/sbin/modprobe", modules_.front()}, {.output = "/dev/kmsg"});
    }

    void handle_children() {
        std::array<signalfd_siginfo, 8> ignored{};
        while (read(children_, ignored.data(), sizeof(ignored)) > 0) continue;
        while (const auto exited = reap()) {
            if (exited->pid == shell_) start_shell();
            if (exited->pid == loading_) handle_loaded(exited->succeeded);
        }
    }

    void handle_loaded(bool succeeded) {
        loading_ = 0;
        if (!succeeded) {
            log_.say("modprobe " + modules_.front() + " failed");
            status_.report("drivers-failed " + modules_.front());
            return;
        }
        modules_.pop_front();
        load_next_module();
    }

    void handle_notifications() {
        std::array<char, 512> text{};
        for (ssize_t n = 0; (n = recv(notify_, text.data(), text.size(), 0)) > 0;) {
            if (std::string_view(text.data(), static_cast<std::size_t>(n)).find("READY=1") !=
                std::string_view::npos)
                status_.report("ssh");
        }
    }

    Config config_;
    std::deque<std::string>
        modules_;  // still to be loaded; the front one is being loaded while loading_ is set
    int children_;
    int notify_;
    KernelLog log_;
    StatusPort status_{"ntblab.status"};
    Network network_;
    pid_t shell_ = 0;
    pid_t loading_ = 0;
};

}  // namespace

void run_system() {
    umask(022);
    setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
    setenv("HOME", "/root", 1);
    mount_system_trees();
    raise_limits();
    auto config = parse_config(read_file(told_by_host + "config/raw"));
    set_identity(config);
    System(std::move(config)).run();
}

}  // namespace ntblab::guest

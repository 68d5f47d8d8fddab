// SPDX-License-Identifier: MIT
#include "accelerator.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <ntblab/unique_fd.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cache_dir.h"
#include "files.h"
#include "kvm_guest.h"
#include "text.h"

namespace ntblab::lab {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kProbeLimit{3};

KvmProbe remembered_probe() {
    const fs::path path = cache_dir().empty() ? fs::path() : cache_dir() / "kvm-probe";
    const std::string here =
        fmt::format("{} {} {}\n", split(read_if_there("/proc/sys/kernel/random/boot_id"), '\n').at(0),
                    ::geteuid(), ::access("/dev/kvm", R_OK | W_OK) == 0);
    const std::string known = path.empty() ? "" : read_if_there(path);
    if (known.starts_with(here)) {
        const std::string reason = known.substr(here.size());
        return {reason.empty(), reason};
    }
    KvmProbe probe = probe_kvm(kProbeLimit);
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (!path.empty() && !error)
        (void)write_file(path, here + probe.reason);  // without it the next one probes again
    return probe;
}

}  // namespace

const char* name_of(Accelerator accelerator) {
    return accelerator == Accelerator::kvm ? "kvm" : "tcg";
}

KvmProbe probe_kvm(std::chrono::milliseconds limit) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {false, errno_message("pipe")};
    const UniqueFd reading(ends[0]);
    UniqueFd writing(ends[1]);
    const pid_t child = ::fork();
    if (child < 0) return {false, errno_message("fork")};
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a guest that never ends shall not outlive who asked
        const std::string problem = run_kvm_guest();
        const std::string answer = problem.empty() ? "runs" : problem;
        ::_exit(::write(writing.get(), answer.data(), answer.size()) < 0 ? 1 : 0);
    }
    writing.reset();
    pollfd answered{reading.get(), POLLIN, 0};
    const int ready = ::poll(&answered, 1, static_cast<int>(limit.count()));
    ::kill(child, SIGKILL);
    std::array<char, 256> text{};
    const ssize_t size = ready > 0 ? ::read(reading.get(), text.data(), text.size()) : 0;
    // A child that is stuck in the kernel cannot be waited for.
    ::waitpid(child, nullptr, ready > 0 ? 0 : WNOHANG);
    if (ready <= 0)
        return {false, fmt::format("a loop that takes a processor some milliseconds did not end within {} ms",
                                   limit.count())};
    const std::string answer(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    if (answer == "runs") return {true, ""};
    return {false, answer.empty() ? "the process that ran a guest died" : answer};
}

Result<Accelerator> choose_accelerator(const std::string& wish) {
    if (wish == "tcg") return Accelerator::tcg;
    if (wish == "kvm") {
        const KvmProbe probe = probe_kvm(kProbeLimit);
        if (probe.works) return Accelerator::kvm;
        return fail("KVM does not run guests here: " + probe.reason + "; use --accel tcg");
    }
    if (wish != "auto") return fail("unknown accelerator '" + wish + "'; expected auto, kvm or tcg");
    return remembered_probe().works ? Accelerator::kvm : Accelerator::tcg;
}

}  // namespace ntblab::lab

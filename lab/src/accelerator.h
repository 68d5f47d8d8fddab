// SPDX-License-Identifier: MIT
// Whether KVM runs guests here. /dev/kvm can open, report its API version and make a virtual machine, and
// still never run an instruction, or run them by software; so the probe runs some and takes the time.
//
//     const auto accelerator = choose_accelerator("auto").value();
#pragma once

#include <ntblab/result.h>

#include <chrono>
#include <string>

namespace ntblab::lab {

enum class Accelerator { tcg, kvm };

const char* name_of(Accelerator accelerator);

struct KvmProbe {
    bool works = false;
    std::string reason;  ///< Why not.
};

/// Runs a guest with a short loop in a child process, which is given up after `limit`.
KvmProbe probe_kvm(std::chrono::milliseconds limit);

/// `wish` is "auto", "kvm" or "tcg". "auto" takes the probe's answer, which is remembered until the machine
/// boots again. Errors: KVM is wished for and does not work.
Result<Accelerator> choose_accelerator(const std::string& wish);

}  // namespace ntblab::lab

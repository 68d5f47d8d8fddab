// SPDX-License-Identifier: MIT
// The smallest guest: shows that KVM runs instructions.
#pragma once

#include <string>

namespace ntblab::lab {

/// Runs it in this process; may block for ever. @return "" if the guest did what it should, else which step
/// failed.
std::string run_kvm_guest();

}  // namespace ntblab::lab

// SPDX-License-Identifier: MIT
// Names of registers as text.
#pragma once

#include <string>

#include "switchtec/registers.h"

namespace switchtec {

/// "RO", "RW", "W1C", "W1S", "command", "staged", "event", "outside".
const char* access_name(Access access);
/// "ntb_ctrl[1]".
std::string block_name(const Location& at);
/// "lut_entry[3]", "link_state_hdr".
std::string index_name(const RegisterInfo& reg, unsigned index);

}  // namespace switchtec

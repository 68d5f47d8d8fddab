// SPDX-License-Identifier: MIT
// libFuzzer target: things done to a switch by three hosts, against the invariants and the reference for
// windows.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "actions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string wrong = switchtec::test::run_actions({data, size});
    if (!wrong.empty()) {
        std::fprintf(stderr, "%s\n", wrong.c_str());
        std::abort();
    }
    return 0;
}

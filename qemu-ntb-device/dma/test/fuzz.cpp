// SPDX-License-Identifier: MIT
// libFuzzer target: what a driver, its host and its memory do to the DMA engine, against invariants.
#include <cstdio>
#include <cstdlib>

#include "actions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string wrong = switchtec::dma::test::run_actions({data, size});
    if (!wrong.empty()) {
        std::fprintf(stderr, "%s\n", wrong.c_str());
        std::abort();
    }
    return 0;
}

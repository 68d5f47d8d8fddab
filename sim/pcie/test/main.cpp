// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <systemc>

// What a simulation context of SystemC 2.3.4 leaves behind when it is destroyed (pcie/simulation.h makes one
// for each test).
extern "C" const char*
__lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier): LeakSanitizer's name
extern "C" const char* __lsan_default_suppressions() {
    return "leak:sc_core::sc_simcontext::init\n"
           "leak:sc_core::sc_ppq_base\n"
           "leak:sc_core::sc_phash_base\n"
           "leak:sc_core::sc_prim_channel_registry\n"
           "leak:sc_core::sc_process_b::delete_process\n";
}

int sc_main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}

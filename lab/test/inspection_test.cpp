// SPDX-License-Identifier: MIT
#include "inspection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ntblab::lab {
namespace {

using testing::HasSubstr;

constexpr auto kDocument =
    R"({"switches": [{"name": "sw0", "vendor_id": 4600, "device_id": 16466, "partitions": [
  {"partition": 0, "node": "a", "endpoint": "nt", "pid": 77, "link": {"up": true, "generation": 4, "width": 16}, "bar2_size": 67108864,
   "bar4_size": 0, "control": {"state": "LOCKED", "owner": 1}, "doorbells": {"pending": "0x2", "mask": "0x3"},
   "windows": [{"bar": 2, "offset": 4194304, "size": 1048576, "target": 1, "address": 305419896}],
   "window_read_misses": 5, "window_write_misses": 1},
  {"partition": 1, "node": null, "endpoint": "management", "pid": null, "link": {"up": false, "generation": 1, "width": 1}, "bar2_size": 0,
   "bar4_size": 0, "control": {"state": "NORMAL", "owner": null}, "doorbells": {"pending": "0x0", "mask": "0x0"}, "windows": [],
   "window_read_misses": 0, "window_write_misses": 0}]}]})";

TEST(Inspection, ShowsLinksWindowsAndLocks) {
    const auto text = format_inspection(kDocument);
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_THAT(*text, HasSubstr("switch sw0 (11f8:4052)\n"));
    EXPECT_THAT(*text, HasSubstr("link up 16 GT/s x16"));
    EXPECT_THAT(*text, HasSubstr("pid 77       BAR2 64M   BAR4 0 "));
    EXPECT_THAT(*text, HasSubstr("locked by partition 1\n"));
    EXPECT_THAT(*text, HasSubstr("doorbells pending 0x2, enabled 0x3\n"));
    EXPECT_THAT(*text, HasSubstr("BAR2 +0x400000, 1M -> partition 1, bus address 0x12345678\n"));
    EXPECT_THAT(*text, HasSubstr("accesses outside of windows: 5 reads, 1 write\n"));
    EXPECT_THAT(*text, HasSubstr("link down 2.5 GT/s x1"));
    EXPECT_THAT(*text, HasSubstr("no process   management "));
}

TEST(Inspection, AnotherDocumentIsAnError) {
    EXPECT_THAT(format_inspection("{}").error().message, HasSubstr("--json prints it as it is"));
    EXPECT_THAT(format_inspection("nonsense").error().message, HasSubstr("cannot be understood"));
}

}  // namespace
}  // namespace ntblab::lab

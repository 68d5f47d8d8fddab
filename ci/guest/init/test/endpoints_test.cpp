// SPDX-License-Identifier: MIT
#include "endpoints.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace ntblab::guest {
namespace {

namespace fs = std::filesystem;

// A sysfs with a root port, and behind it what a test adds.
class GuestEndpoints : public testing::Test {
  protected:
    void SetUp() override {
        for (const char* folder : {"bus/pci/devices", "bus/ntb", "bus/ntb_transport", "class/net"})
            fs::create_directories(sys_ / folder);
    }
    void TearDown() override { fs::remove_all(sys_); }

    fs::path add_pci(const std::string& address, const std::string& vendor, const std::string& device_class) {
        const auto device = add_device(sys_ / "devices/pci0000:00/0000:00:04.0" / address, "pci");
        std::ofstream(device / "vendor") << vendor << '\n';
        std::ofstream(device / "class") << device_class << '\n';
        fs::create_directory_symlink(device, sys_ / "bus/pci/devices" / address);
        return device;
    }
    fs::path add_endpoint(const std::string& address) { return add_pci(address, "0x11f8", "0x068000"); }
    void add_interface(const std::string& name, const fs::path& parent) {
        fs::create_directories(parent / "net" / name);
        fs::create_directory_symlink(parent, parent / "net" / name / "device");
        fs::create_directory_symlink(parent / "net" / name, sys_ / "class/net" / name);
    }
    // As ntb_transport and ntb_netdev make it; the NTB device has the name of its PCI device.
    void add_ntb_interface(const std::string& name, const fs::path& endpoint, const std::string& client) {
        const auto ntb = add_device(endpoint / endpoint.filename(), "ntb");
        add_interface(name, add_device(ntb / client, "ntb_transport"));
    }
    fs::path add_device(const fs::path& device, const std::string& bus) {
        fs::create_directories(device);
        fs::create_directory_symlink(sys_ / "bus" / bus, device / "subsystem");
        return device;
    }
    static fs::path make_folder() {  // of its own: tests run at the same time
        std::string pattern = fs::temp_directory_path() / "guest-endpoints-XXXXXX";
        return ::mkdtemp(pattern.data());
    }
    fs::path sys_ = make_folder();
};

TEST_F(GuestEndpoints, AreCountedInTheOrderOfTheirPciAddresses) {
    const auto second = add_endpoint("0000:0a:00.0");
    const auto first = add_endpoint("0000:02:00.0");
    add_ntb_interface("eth0", second, "ntb_netdev0");  // the drivers bind in any order
    add_ntb_interface("eth1", first, "ntb_netdev1");
    EXPECT_EQ(endpoint_under(sys_, "eth0"), 1U);
    EXPECT_EQ(endpoint_under(sys_, "eth1"), 0U);
}

TEST_F(GuestEndpoints, OtherFunctionsDoNotCount) {
    add_pci("0000:01:00.0", "0x11f8", "0x058000");  // a management endpoint
    add_pci("0000:02:00.0", "0x8086", "0x068000");
    add_ntb_interface("eth0", add_endpoint("0000:03:00.0"), "ntb_netdev0");
    EXPECT_EQ(endpoint_under(sys_, "eth0"), 0U);
}

TEST_F(GuestEndpoints, NoneIsUnderOtherInterfaces) {
    add_endpoint("0000:01:00.0");
    add_interface("eth0", add_pci("0000:02:00.0", "0x1af4", "0x020000"));
    fs::create_directories(sys_ / "class/net/lo");
    EXPECT_EQ(endpoint_under(sys_, "eth0"), std::nullopt);
    EXPECT_EQ(endpoint_under(sys_, "lo"), std::nullopt);
    EXPECT_EQ(endpoint_under(sys_, "eth7"), std::nullopt);
}

}  // namespace
}  // namespace ntblab::guest

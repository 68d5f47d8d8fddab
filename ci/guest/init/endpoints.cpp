// SPDX-License-Identifier: MIT
#include "endpoints.h"

#include <algorithm>
#include <vector>

#include "config.h"

namespace ntblab::guest {
namespace fs = std::filesystem;
namespace {

// Microsemi (now Microchip); "other bridge", as which an NT endpoint presents itself.
constexpr auto switchtec_vendor = "0x11f8\n";
constexpr auto nt_endpoint_class = "0x068000\n";

bool is_pci_device(const fs::path& device) {
    std::error_code error;
    return fs::read_symlink(device / "subsystem", error).filename() == "pci";
}

// Sorted; as text, too, since all parts of a PCI address have a fixed width.
std::vector<std::string> nt_endpoints(const fs::path& sysfs) {
    std::vector<std::string> addresses;
    std::error_code error;
    for (const auto& device : fs::directory_iterator(sysfs / "bus/pci/devices", error)) {
        if (read_file(device.path() / "vendor") == switchtec_vendor &&
            read_file(device.path() / "class") == nt_endpoint_class)
            addresses.push_back(device.path().filename());
    }
    std::sort(addresses.begin(), addresses.end());
    return addresses;
}

}  // namespace

std::optional<std::size_t> endpoint_under(const fs::path& sysfs, const std::string& interface) {
    std::error_code error;
    fs::path device = fs::canonical(sysfs / "class/net" / interface / "device", error);
    while (device.has_relative_path() && !is_pci_device(device)) device = device.parent_path();
    const auto endpoints = nt_endpoints(sysfs);
    const auto found = std::find(endpoints.begin(), endpoints.end(), device.filename().string());
    if (found == endpoints.end()) return std::nullopt;
    return static_cast<std::size_t>(found - endpoints.begin());
}

}  // namespace ntblab::guest

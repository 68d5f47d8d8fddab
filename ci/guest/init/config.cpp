// SPDX-License-Identifier: MIT
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <iterator>
#include <map>
#include <sstream>

namespace ntblab::guest {
namespace {

// The value of a shell word made of plain characters, 'quoted' parts and \escapes.
std::string unquote(std::string_view word) {
    std::string value;
    bool quoted = false;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (word[i] == '\'') {
            quoted = !quoted;
        } else if (word[i] == '\\' && !quoted && i + 1 < word.size()) {
            value += word[++i];
        } else {
            value += word[i];
        }
    }
    return value;
}

std::vector<std::string> words(const std::string& text) {
    std::istringstream rest{text};
    return {std::istream_iterator<std::string>(rest), {}};
}

}  // namespace

Config parse_config(std::string_view text) {
    std::map<std::string, std::string, std::less<>> values{
        {"NTBLAB_MODULES", "ntb_transport ntb_hw_switchtec ntb_netdev"}};
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        const auto equals = line.find('=');
        if (line.starts_with('#') || equals == std::string::npos) continue;
        values[line.substr(0, equals)] = unquote(std::string_view(line).substr(equals + 1));
    }
    Config config;
    config.cluster = values["NTBLAB_CLUSTER"];
    if (!values["NTBLAB_NODE"].empty()) config.node = values["NTBLAB_NODE"];
    config.addresses = words(values["NTBLAB_ADDRESSES"]);
    config.lan_address = values["NTBLAB_LAN_ADDRESS"];
    config.rdma_address = values["NTBLAB_RDMA_ADDRESS"];
    config.networks = words(values["NTBLAB_NETWORKS"]);
    config.share = values["NTBLAB_SHARE"];
    config.modules = words(values["NTBLAB_MODULES"]);
    return config;
}

std::string read_file(const std::string& path) {
    std::string text;
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return text;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = read(fd, buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(n));
    close(fd);
    return text;
}

bool write_file(const std::string& path, std::string_view text, unsigned mode) {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (fd < 0) return false;
    const bool written =
        fchmod(fd, mode) == 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(fd);
    return written;
}

}  // namespace ntblab::guest

// SPDX-License-Identifier: MIT
#include "topology/topology.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <ntblab/unique_fd.h>
#include <sys/stat.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "resolve.h"
#include "settings.h"
#include "topology/reader.h"

namespace ntblab::topology {
namespace {

constexpr std::size_t kFileLimit = 1 << 20;

template <typename F>
std::vector<Endpoint> endpoints_where(const Topology& topology, F wanted) {
    std::vector<Endpoint> result;
    for (std::size_t sw = 0; sw < topology.switches.size(); ++sw)
        for (unsigned number = 0; number < topology.switches[sw].partitions.size(); ++number)
            if (wanted(topology.switches[sw].partitions[number])) result.push_back({sw, number});
    return result;
}

}  // namespace

Result<std::string> read_source(const std::string& path, const std::string& what) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return fail(fmt::format("{}: {}; give the path of {}", path, std::strerror(errno), what));
    struct stat status {};
    if (::fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode))
        return fail(fmt::format("{}: is a directory; give the path of {} in it", path, what));
    std::string text;
    std::array<char, 16384> buffer{};
    for (;;) {
        const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
        if (count == 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(count));
        if (text.size() > kFileLimit)
            return fail(fmt::format("{}: is larger than 1M; is it {}?", path, what));
    }
}

Result<Topology> parse(const std::string& text, const std::string& path) {
    const auto document = parse_yaml(text, path);
    if (!document) return tl::unexpected(document.error());
    if (document->IsNull())
        return fail(
            fmt::format("{}:1:1: the file is empty; expected a topology (name, nodes, switches)", path));
    Diagnostics diagnostics(path);
    Reader reader(diagnostics);
    const FileSettings settings = read_file(reader, *document);
    Topology topology = resolve(settings, diagnostics);
    if (!diagnostics.ok()) return diagnostics.failure();
    return topology;
}

Result<Topology> load(const std::string& path) {
    const auto text = read_source(path);
    if (!text) return tl::unexpected(text.error());
    return parse(*text, path);
}

std::vector<Endpoint> Topology::endpoints(std::size_t node) const {
    return endpoints_where(*this, [node](const Partition& p) { return p.node == node && p.peer; });
}

std::vector<Endpoint> Topology::management_endpoints(std::size_t node) const {
    return endpoints_where(*this, [node](const Partition& p) { return p.node == node && !p.peer; });
}

std::vector<Endpoint> Topology::all_endpoints(std::size_t node) const {
    std::vector<Endpoint> result = endpoints(node);
    const std::vector<Endpoint> management = management_endpoints(node);
    result.insert(result.end(), management.begin(), management.end());
    return result;
}

std::optional<std::size_t> Topology::find_node(const std::string& node) const {
    for (std::size_t index = 0; index < nodes.size(); ++index)
        if (nodes[index].name == node) return index;
    return std::nullopt;
}

bool valid_name(const std::string& name) {
    const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= 32 && alphanumeric(name.front()) && alphanumeric(name.back()) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return alphanumeric(c) || c == '-'; });
}

}  // namespace ntblab::topology

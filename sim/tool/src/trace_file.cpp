// SPDX-License-Identifier: MIT
#include "trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <sstream>

#include "files.h"

namespace ntblab::sim {
namespace {

constexpr std::string_view kHeader = "at_ps,node,peer,operation,offset,bytes";
constexpr std::size_t kFields = 6;
constexpr std::uint64_t kBoundary = 4096;
constexpr pcie::Picoseconds kLatest = 10'000'000'000'000;

class TraceReader {
  public:
    TraceReader(const std::string& path, const topology::Topology& topology, const pcie::Profile& profile)
        : path_(path), topology_(topology), profile_(profile) {}

    Result<std::vector<TraceRequest>> read(const std::string& text) {
        std::istringstream lines(text);
        std::string line;
        if (!std::getline(lines, line) || line != kHeader)
            return fail(fmt::format("{}:1: found '{}'; expected the header '{}'", path_, line, kHeader));
        std::vector<TraceRequest> requests;
        for (line_ = 2; std::getline(lines, line); ++line_) {
            auto request = read_line(line);
            if (!request) return tl::unexpected(request.error());
            if (!requests.empty() && request->at < requests.back().at)
                return wrong(
                    fmt::format("time {} is before the last one's, {}; expected lines in the order of time",
                                request->at, requests.back().at));
            requests.push_back(*request);
        }
        return requests;
    }

  private:
    tl::unexpected<Error> wrong(const std::string& what) const {
        return fail(fmt::format("{}:{}: {}", path_, line_, what));
    }

    static std::optional<std::uint64_t> number(std::string_view text) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
        return value;
    }

    Result<TraceRequest> read_line(const std::string& line) const {
        std::array<std::string, kFields> fields;
        std::istringstream stream(line);
        std::size_t count = 0;
        for (std::string field; std::getline(stream, field, ','); ++count)
            if (count < kFields) fields[count] = field;
        if (count != kFields)
            return wrong(fmt::format("{} fields; expected {}: {}", count, kFields, kHeader));
        const auto node = topology_.find_node(fields[1]), peer = topology_.find_node(fields[2]);
        if (!node || !peer)
            return wrong(
                fmt::format("topology '{}' has no node '{}'", topology_.name, node ? fields[2] : fields[1]));
        const auto at = number(fields[0]), offset = number(fields[4]), bytes = number(fields[5]);
        if (!at || !offset || !bytes)
            return wrong(fmt::format("'{}' is no number; expected decimal digits", !at       ? fields[0]
                                                                                   : !offset ? fields[4]
                                                                                             : fields[5]));
        if (*at > kLatest)
            return wrong(
                fmt::format("time {} is later than 10 s; expected picoseconds from the beginning", *at));
        if (!joined(*node, *peer))
            return wrong(fmt::format("no NT pair joins '{}' and '{}'", fields[1], fields[2]));
        if (fields[3] != "write" && fields[3] != "read")
            return wrong(fmt::format("operation '{}'; expected write or read", fields[3]));
        const bool write = fields[3] == "write";
        const unsigned most = write ? profile_.mps : profile_.mrrs;
        if (*bytes == 0 || *bytes > most)
            return wrong(fmt::format("a {} of {} bytes; expected 1 to {}, profile '{}''s {}", fields[3],
                                     *bytes, most, profile_.name, write ? "MPS" : "MRRS"));
        if (*offset >= pcie::kPortSpace || *offset % kBoundary + *bytes > kBoundary)
            return wrong(fmt::format("offset {} and {} bytes cross a boundary of 4096, or the window's end",
                                     *offset, *bytes));
        return TraceRequest{*at, *node, *peer, write, *offset, static_cast<std::uint32_t>(*bytes)};
    }

    bool joined(std::size_t node, std::size_t peer) const {
        return std::ranges::any_of(topology_.endpoints(node), [&](const topology::Endpoint& endpoint) {
            const auto& partitions = topology_.switches[endpoint.sw].partitions;
            return partitions[*partitions[endpoint.partition].peer].node == peer;
        });
    }

    const std::string& path_;
    const topology::Topology& topology_;
    const pcie::Profile& profile_;
    std::size_t line_ = 1;
};

}  // namespace

Result<std::vector<TraceRequest>> parse_trace(const std::string& text, const std::string& path,
                                              const topology::Topology& topology,
                                              const pcie::Profile& profile) {
    return TraceReader(path, topology, profile).read(text);
}

// Not read_source(), which is for files that people write: traces are large.
Result<std::vector<TraceRequest>> load_trace(const std::filesystem::path& path,
                                             const topology::Topology& topology,
                                             const pcie::Profile& profile) {
    const auto text = read_file(path);
    if (!text) return tl::unexpected(text.error());
    return parse_trace(*text, path.string(), topology, profile);
}

std::string trace_text(const std::vector<TraceRequest>& requests, const topology::Topology& topology) {
    std::string text = fmt::format("{}\n", kHeader);
    for (const TraceRequest& request : requests)
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", request.at,
                       topology.nodes[request.node].name, topology.nodes[request.peer].name,
                       request.write ? "write" : "read", request.offset, request.bytes);
    return text;
}

}  // namespace ntblab::sim

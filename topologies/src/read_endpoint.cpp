// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <bit>

#include "settings.h"

namespace ntblab::topology {
namespace {

constexpr std::uint64_t kSmallestWindow = 64ULL << 10;
constexpr std::uint64_t kLargestWindow = 256ULL << 30;

std::optional<unsigned> read_width(Reader& reader, const YAML::Node& node, const std::string& what) {
    if (node.IsScalar()) {
        for (const unsigned width : {1, 2, 4, 8, 16}) {
            const bool named = node.Scalar() == fmt::format("x{}", width);
            const bool number = node.Scalar() == fmt::format("{}", width) && node.Tag() == "?";
            if (named || number) return width;
        }
    }
    reader.diagnostics().error(node.Mark(),
                               fmt::format("{} is {}; expected x1, x2, x4, x8 or x16", what, describe(node)));
    return std::nullopt;
}

std::optional<std::uint64_t> read_window(Reader& reader, const YAML::Node& node, const std::string& what) {
    const auto size = reader.size(node, what);
    if (!size || *size == 0) return size;
    if (!std::has_single_bit(*size)) {
        const std::uint64_t below = std::bit_floor(*size);
        reader.diagnostics().error(node.Mark(),
                                   fmt::format("{} is {}; a BAR's size is a power of two, such as {}", what,
                                               node.Scalar(), format_size(below)));
        return std::nullopt;
    }
    if (*size < kSmallestWindow || *size > kLargestWindow) {
        reader.diagnostics().error(
            node.Mark(), fmt::format("{} is {}; expected {} to {}, or 0 for none", what, node.Scalar(),
                                     format_size(kSmallestWindow), format_size(kLargestWindow)));
        return std::nullopt;
    }
    return size;
}

void read_windows(Reader& reader, const YAML::Node& node, const std::string& owner,
                  EndpointSettings& result) {
    const Fields fields = reader.mapping(node, "windows of " + owner, {"bar2", "bar4", "lut-entries"});
    if (const auto* bar2 = fields.find("bar2")) result.bar2 = read_window(reader, *bar2, "bar2 of " + owner);
    if (const auto* bar4 = fields.find("bar4")) result.bar4 = read_window(reader, *bar4, "bar4 of " + owner);
    if (const auto* lut = fields.find("lut-entries"))
        result.lut_entries = reader.integer(*lut, "lut-entries of " + owner, 1, 512);
}

}  // namespace

EndpointSettings read_endpoint(Reader& reader, const Fields& fields, const std::string& owner) {
    EndpointSettings result;
    if (const auto* link = fields.find("link")) {
        const Fields parts = reader.mapping(*link, "link of " + owner, {"generation", "width"});
        if (const auto* generation = parts.find("generation"))
            result.generation = reader.integer(*generation, "link generation of " + owner, 1, 5);
        if (const auto* width = parts.find("width"))
            result.width = read_width(reader, *width, "link width of " + owner);
    }
    if (const auto* windows = fields.find("windows")) read_windows(reader, *windows, owner, result);
    if (const auto* vectors = fields.find("vectors"))
        result.vectors = reader.integer(*vectors, "vectors of " + owner, 4, 32);
    if (const auto* dma = fields.find("dma")) result.dma = reader.integer(*dma, "dma of " + owner, 0, 64);
    if (const auto* protection = fields.find("rid-protection"))
        if (const auto word = reader.word(*protection, "rid-protection of " + owner, {"firmware", "strict"}))
            result.dma_listed = *word == "firmware";
    return result;
}

}  // namespace ntblab::topology

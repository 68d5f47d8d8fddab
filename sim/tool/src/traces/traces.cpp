// SPDX-License-Identifier: MIT
#include "traces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ntblab::sim {
namespace {

Result<OutputFile> create(const std::filesystem::path& path) {
    auto file = OutputFile::create(path);
    if (file) file->on_failure = [] { sc_core::sc_pause(); };
    return file;
}

Result<const pcie::Link*> find_link(const pcie::System& system, const std::string& name) {
    std::vector<std::string> names;
    for (const auto& link : system.links()) {
        if (name.empty() || name == link->basename()) return link.get();
        names.emplace_back(link->basename());
    }
    return fail(
        fmt::format("link \"{}\": there is none of this name; links are {}", name, fmt::join(names, ", ")));
}

}  // namespace

Result<std::unique_ptr<Traces>> Traces::create(const TraceOptions& options, pcie::System& system) {
    std::unique_ptr<Traces> traces(new Traces(system));
    if (auto opened = traces->open(options); !opened) return tl::unexpected(opened.error());
    system.observe(options.any() ? &traces->observers_ : nullptr);
    return traces;
}

Result<void> Traces::open(const TraceOptions& options) {
    const auto link = find_link(system_, options.link);
    if (!link) return tl::unexpected(link.error());
    if (options.vcd) {
        auto file = sim::create(*options.vcd);
        if (!file) return tl::unexpected(file.error());
        vcd_ = std::make_unique<VcdWriter>(**link, std::move(*file));
        observers_.add(*vcd_);
    }
    if (options.perfetto) {
        auto file = sim::create(*options.perfetto);
        if (!file) return tl::unexpected(file.error());
        perfetto_ = std::make_unique<PerfettoWriter>(std::move(*file));
        perfetto_->begin(system_);
        observers_.add(*perfetto_);
    }
    if (options.pcapng) {
        auto file = sim::create(*options.pcapng);
        if (!file) return tl::unexpected(file.error());
        pcapng_ = std::make_unique<PcapngWriter>(std::move(*file));
        for (const auto& each : system_.links())
            if (options.link.empty() || each.get() == *link) pcapng_->add(*each);
        observers_.add(*pcapng_);
    }
    return {};
}

Result<void> Traces::finish() {
    system_.observe(nullptr);
    Result<void> result;
    const auto keep = [&](const Result<void>& done) {
        if (result && !done) result = done;
    };
    if (vcd_) keep(vcd_->finish());
    if (perfetto_) keep(perfetto_->finish());
    if (pcapng_) keep(pcapng_->finish());
    return result;
}

}  // namespace ntblab::sim

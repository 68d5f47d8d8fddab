// SPDX-License-Identifier: MIT
// Published measurements to compare the model with, as data: calibration.yaml.
//
//     auto calibration = load_calibration("share/ntblab/calibration.yaml");
//     if (!calibration) { std::cerr << calibration.error().message << '\n'; return 2; }
//     for (const Case& one : calibration->cases) const std::vector<double> model = evaluate(one, profile);
#pragma once

#include <ntblab/result.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ntblab::sim {

struct Tolerance {
    enum class Kind : std::uint8_t {
        exact,     ///< In all digits that are published.
        percent,   ///< Of what is published, either way.
        absolute,  ///< In the case's unit, either way.
        at_most,   ///< What is published is an upper bound.
        band,      ///< Two values are published.
    };
    Kind kind = Kind::exact;
    double value = 0;
};

/// One published value.
struct Published {
    std::uint64_t size = 0;              ///< Bytes, of transfers.
    unsigned generation = 0, lanes = 0;  ///< 0: the case's.
    std::string of{};                    ///< What of the case it is: see the kinds.
    std::string text{};                  ///< As it is in the file: "54.45", "7.5-10.6".
    double value = 0, most = 0;          ///< `most` of a band.
    Tolerance tolerance{};
    std::string misfit{};  ///< Why the model has it otherwise; "": it is to have it.
};

/// CaseTraffic between the first two hosts, or of the first one's device.
struct CaseTraffic {
    std::string operation = "pio-write";  ///< As workloads call it.
    unsigned transfers = 50, warm_up = 5, in_flight = 1;
    bool uncached = false, remote = false;
};

/// A run like that of the case but for this, which is subtracted from it.
struct Less {
    std::map<std::string, double> parameters;
    bool uncached = false, remote = false;
};

struct Case {
    enum class Kind : std::uint8_t {
        line_rate,   ///< Of a generation and width.
        wire_cost,   ///< Of a TLP, beside its data; `of` is MWr, MRd, CplD or DLLP.
        formula,     ///< formula.h; `of` is write, read or both.
        run,         ///< A simulation; measures latency, or rate.
        iotlb,       ///< `of` is knee (the largest window without misses) or miss (what one takes).
        infiniband,  ///< Bandwidth of HDR, formula.h; `size` is the MTU.
        reference,   ///< Not modelled: to stand beside the others.
    };
    enum class Measure : std::uint8_t { latency, rate };

    std::string name, conditions, source, unit;
    Kind kind = Kind::run;
    std::string profile;                  ///< Of run and iotlb.
    unsigned generation = 4, lanes = 16;  ///< Of hosts' links.
    CaseTraffic traffic;
    Measure measure = Measure::latency;
    std::map<std::string, double> parameters;  ///< Instead of the profile's.
    bool has_less = false;
    Less less;
    std::string plus;  ///< Parameter, ns, whose value is added to the latency; "": none.
    std::vector<Published> points;
};

/// What may be fitted of a profile, and between which values.
struct FreeParameter {
    std::string name;
    double least, most;
    std::string source;  ///< What it is fitted to.
};

struct Calibration {
    std::vector<Case> cases;
    std::vector<std::pair<std::string, std::vector<FreeParameter>>>
        fits;  ///< By profile, in the file's order.
};

/// Errors: cannot be read; file:line:column with what was found, what was expected and what to do.
Result<Calibration> load_calibration(const std::string& path);
/// As `load_calibration`, from text; `path` is what messages call it.
Result<Calibration> parse_calibration(const std::string& text, const std::string& path);

}  // namespace ntblab::sim

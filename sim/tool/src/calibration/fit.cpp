// SPDX-License-Identifier: MIT
#include "fit.h"

#include <fmt/format.h>

#include <nlopt.hpp>
#include <stdexcept>

#include "measure.h"

namespace ntblab::sim {
namespace {

double rounded(double value) {
    return std::stod(fmt::format("{:.3g}", value));
}

/// What NLopt calls: parameters as parts of their ranges, 0 to 1.
struct Objective {
    const pcie::Profile& start;
    const std::vector<FreeParameter>& free;
    const std::vector<const Case*>& cases;
    const std::function<void(unsigned)>& progress;
    unsigned evaluations = 0;

    std::vector<double> values(const std::vector<double>& parts) const {
        std::vector<double> result;
        for (std::size_t i = 0; i < free.size(); ++i)
            result.push_back(free[i].least + parts[i] * (free[i].most - free[i].least));
        return result;
    }
    pcie::Profile with(const std::vector<double>& values) const {
        pcie::Profile profile = start;
        for (std::size_t i = 0; i < free.size(); ++i)
            pcie::find_parameter(free[i].name)->set(profile, values[i]);
        return profile;
    }
    static double call(const std::vector<double>& parts, std::vector<double>&, void* self) {
        auto& objective = *static_cast<Objective*>(self);
        objective.progress(++objective.evaluations);
        return misses(objective.with(objective.values(parts)), objective.cases);
    }
};

}  // namespace

unsigned most_evaluations(std::size_t free) {
    return static_cast<unsigned>(60 * free);
}

double misses(const pcie::Profile& profile, const std::vector<const Case*>& cases) {
    double sum = 0;
    for (const Case* one : cases) {
        const std::vector<double> model = evaluate(*one, profile);
        for (std::size_t i = 0; i < model.size(); ++i) {
            if (!one->points[i].misfit.empty()) continue;
            const double miss = misses_by(one->points[i], model[i]);
            sum += miss * miss;
        }
    }
    return sum;
}

Fit fit_profile(const pcie::Profile& profile, const std::vector<FreeParameter>& free,
                const std::vector<const Case*>& cases, const std::function<void(unsigned)>& progress) {
    if (free.empty()) throw std::invalid_argument("a fit has a free parameter");
    Objective objective{profile, free, cases, progress};
    const auto count = static_cast<unsigned>(free.size());
    // BOBYQA wants two parameters or more.
    nlopt::opt optimiser(count > 1 ? nlopt::LN_BOBYQA : nlopt::LN_SBPLX, count);
    optimiser.set_lower_bounds(0.0);
    optimiser.set_upper_bounds(1.0);
    optimiser.set_initial_step(0.25);
    optimiser.set_xtol_abs(0.0005);
    optimiser.set_maxeval(static_cast<int>(most_evaluations(free.size())));
    optimiser.set_min_objective(Objective::call, &objective);
    std::vector<double> parts(free.size(), 0.5);
    double least = 0;
    try {
        optimiser.optimize(parts, least);
    } catch (const nlopt::roundoff_limited&) {
        // As near as arithmetic gets; `parts` has it.
    }
    Fit fit;
    for (const double value : objective.values(parts)) fit.values.push_back(rounded(value));
    fit.profile = objective.with(fit.values);
    fit.before = misses(profile, cases);
    fit.after = misses(fit.profile, cases);
    fit.evaluations = objective.evaluations;
    return fit;
}

}  // namespace ntblab::sim

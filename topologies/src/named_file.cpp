// SPDX-License-Identifier: MIT
#include "topology/named_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "topology/suggest.h"

namespace ntblab::topology {
namespace fs = std::filesystem;

bool is_path(const std::string& name) {
    return name.find('/') != std::string::npos || name.ends_with(".yaml");
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

fs::path named_path(const std::string& name, const fs::path& folder) {
    return is_path(name) ? fs::path(name) : folder / (name + ".yaml");
}

Result<fs::path> find_named(const std::string& kind, const std::string& name, const fs::path& folder) {
    fs::path path = named_path(name, folder);
    std::error_code error;
    if (is_path(name) || fs::exists(path, error)) return path;
    const auto names = names_in(folder);
    return fail(fmt::format("there is no {} '{}'; {}there are {}, or give the path of a file", kind, name,
                            did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace ntblab::topology

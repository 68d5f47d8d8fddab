// SPDX-License-Identifier: MIT
// Typed reading of YAML nodes. A value that is not what it should be is an error in Diagnostics, and absent.
//
//     Reader reader(diagnostics);
//     Fields fields = reader.mapping(yaml, "node 'a'", {"cpus", "memory"});
//     if (const YAML::Node* cpus = fields.find("cpus")) node.cpus = reader.integer(*cpus, "cpus", 1,
//     64).value_or(1);
//
// Scalars are resolved as in YAML 1.2's core schema: true and false are the only booleans, `1` is no string,
// "1" is.
#pragma once

#include <ntblab/result.h>
#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "topology/diagnostics.h"

namespace ntblab::topology {

/// One entry of a mapping; `where` is the key's place.
struct Field {
    std::string key;
    YAML::Mark where;
    YAML::Node value;
};

struct Fields {
    std::vector<Field> entries;  ///< In the order of the file.
    const YAML::Node* find(const std::string& key) const;
};

class Reader {
  public:
    explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    /// Entries of a mapping whose keys are among `known`; `what` names it in messages. Unknown and repeated
    /// keys are errors.
    Fields mapping(const YAML::Node& node, const std::string& what, const std::vector<std::string>& known);
    /// Entries of a mapping whose keys are names the file chooses (of nodes, of switches); `kind` is what is
    /// named.
    Fields named(const YAML::Node& node, const std::string& what, const std::string& kind);
    /// Items of a sequence with `least` to `most` items.
    std::vector<YAML::Node> sequence(const YAML::Node& node, const std::string& what, std::size_t least,
                                     std::size_t most);

    std::optional<std::string> string(const YAML::Node& node, const std::string& what);
    std::optional<std::string> name(const YAML::Node& node, const std::string& what);
    /// One of some words.
    std::optional<std::string> word(const YAML::Node& node, const std::string& what,
                                    const std::vector<std::string>& known);
    std::optional<bool> boolean(const YAML::Node& node, const std::string& what);
    std::optional<unsigned> integer(const YAML::Node& node, const std::string& what, unsigned least,
                                    unsigned most);
    /// A number, whole or not, from `least` to `most`.
    std::optional<double> number(const YAML::Node& node, const std::string& what, double least, double most);
    /// Bytes: digits with an optional K, M, G or T.
    std::optional<std::uint64_t> size(const YAML::Node& node, const std::string& what);

    Diagnostics& diagnostics() { return diagnostics_; }

  private:
    std::vector<Field> entries(const YAML::Node& node, const std::string& what);
    void wrong_type(const YAML::Node& node, const std::string& what, const std::string& expected);

    Diagnostics& diagnostics_;
};

/// What a node is, for messages: "a list", "text 'x'", "number 12", ...
std::string describe(const YAML::Node& node);

/// The document of a text; a null node if there is nothing in it. `path` is what messages call it. Errors:
/// file:line:column of what is no YAML; of a second document.
Result<YAML::Node> parse_yaml(const std::string& text, const std::string& path);

/// Bytes: digits with an optional K, M, G or T. Errors, as std::from_chars has them: invalid_argument,
/// result_out_of_range (of 64 bits).
tl::expected<std::uint64_t, std::errc> parse_size(std::string_view text);

/// "64M" for 67108864: the largest unit that divides it.
std::string format_size(std::uint64_t bytes);

}  // namespace ntblab::topology

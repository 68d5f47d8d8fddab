// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "commands.h"
#include "exit_code.h"
#include "files.h"
#include "install.h"
#include "text.h"

namespace ntblab::lab {
namespace {

int version() {
    const Install install = find_install();
    const auto kernel = split(read_if_there(install.kernel_version()), '\n');
    fmt::print("ntblab {}\n", NTBLAB_VERSION);
    fmt::print("guest kernel {}\n", kernel.empty() ? "not built" : kernel[0]);
    fmt::print("files {}\n", install.share.string());
    return kOk;
}

}  // namespace

void add_version(CLI::App& app, CommandLine& line) {
    app.add_subcommand("version", "Print versions")->callback([&line] { line.run = version; });
}

}  // namespace ntblab::lab

// SPDX-License-Identifier: MIT
#include "plot.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <system_error>

namespace ntblab::sim {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kWidth = 900, kPanelHeight = 420;
constexpr int kNoSuchCommand = 127;

/// A string in gnuplot's single quotes.
std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
    return result + "'";
}

std::string data_block(const Curve& curve, const std::string& name) {
    std::string text = fmt::format("${} << END\n", name);
    for (const auto& [x, y] : curve.points) fmt::format_to(std::back_inserter(text), "{} {}\n", x, y);
    return text + "END\n";
}

/// What a command got on its standard input; its exit code, or -1.
int feed(const char* command, const std::string& text) {
    struct sigaction ignore {
    }, before{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &before);
    std::FILE* pipe = ::popen(command, "we");
    if (pipe == nullptr) return -1;
    std::fwrite(text.data(), 1, text.size(), pipe);
    const int status = ::pclose(pipe);
    ::sigaction(SIGPIPE, &before, nullptr);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// What differs between runs, in words.
std::string title_of(const nlohmann::ordered_json& run, const nlohmann::ordered_json& runs) {
    std::string title;
    for (const auto& [key, value] : run.at("conditions").items()) {
        const bool same = std::all_of(runs.begin(), runs.end(), [&, k = key, v = value](const auto& other) {
            return other.at("conditions").value(k, nlohmann::ordered_json()) == v;
        });
        if (same) continue;
        const std::string text = value.is_string() ? value.template get<std::string>() : value.dump();
        title += fmt::format("{}{}={}", title.empty() ? "" : ", ", key, text);
    }
    if (!title.empty()) return title;
    return fmt::format("{}, {}", run["conditions"]["workload"].get<std::string>(),
                       run["conditions"]["profile"].get<std::string>());
}

}  // namespace

Result<void> run_gnuplot(const std::string& script, unsigned width, unsigned height, const fs::path& path) {
    const std::string end = path.extension();
    if (end != ".svg" && end != ".png")
        return fail(fmt::format("{}: a picture's name ends in .svg or .png", path.string()));
    if (std::error_code unknown; fs::exists(path, unknown) && !fs::is_regular_file(path, unknown))
        return fail(fmt::format("{}: is there and no regular file", path.string()));
    const fs::path beside = path.string() + fmt::format(".{}.part", ::getpid());
    const std::string head = fmt::format("set terminal {} size {},{} enhanced\nset output {}\n",
                                         end == ".svg" ? "svg background rgb 'white'" : "pngcairo", width,
                                         height, quoted(beside.string()));
    const int code = feed("exec gnuplot", head + script + "\nunset output\n");
    std::error_code error;
    if (code == 0) fs::rename(beside, path, error);
    if (code == 0 && !error) return {};
    std::error_code ignored;
    fs::remove(beside, ignored);
    if (code == kNoSuchCommand)
        return fail(fmt::format("{}: gnuplot is not there; install the package gnuplot-nox", path.string()));
    return fail(fmt::format("{}: not drawn: {}", path.string(),
                            error ? error.message() : fmt::format("gnuplot ended with exit code {}", code)));
}

Result<void> plot(const std::vector<Panel>& panels, const fs::path& path) {
    std::string script = fmt::format(
        "set logscale xy\nset grid\nset key outside right noenhanced\nset multiplot layout {},1\n",
        panels.size());
    for (std::size_t p = 0; p < panels.size(); ++p) {
        const Panel& panel = panels[p];
        for (std::size_t c = 0; c < panel.curves.size(); ++c)
            script += data_block(panel.curves[c], fmt::format("d{}_{}", p, c));
        script += fmt::format("set title {} noenhanced\nset xlabel {}\nset ylabel {}\nplot ",
                              quoted(panel.title), quoted(panel.x_label), quoted(panel.y_label));
        for (std::size_t c = 0; c < panel.curves.size(); ++c)
            script += fmt::format("{}$d{}_{} with {} title {}", c == 0 ? "" : ", ", p, c,
                                  panel.curves[c].measured ? "points pointtype 7" : "lines linewidth 2",
                                  quoted(panel.curves[c].title));
        script += "\n";
    }
    script += "unset multiplot\n";
    return run_gnuplot(script, kWidth, kPanelHeight * static_cast<unsigned>(panels.size()), path);
}

Result<void> plot_runs(const nlohmann::ordered_json& runs, const fs::path& path) {
    Panel latency{"median latency", "bytes", "us", {}}, rate{"rate", "bytes", "GB/s", {}};
    for (const auto& run : runs) {
        Curve latencies{title_of(run, runs), {}, false}, rates{title_of(run, runs), {}, false};
        for (const auto& point : run.at("points")) {
            const double size = point.at("size").get<double>();
            latencies.points.emplace_back(size, point["latency_ps"]["median"].get<double>() / 1e6);
            rates.points.emplace_back(size, point["gigabytes_per_second"].get<double>());
        }
        latency.curves.push_back(std::move(latencies));
        rate.curves.push_back(std::move(rates));
    }
    return plot({std::move(latency), std::move(rate)}, path);
}

}  // namespace ntblab::sim

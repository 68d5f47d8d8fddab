// SPDX-License-Identifier: MIT
#include "bring_up.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>

#include "boot_watch.h"
#include "claim.h"
#include "fabric.h"
#include "failure_report.h"
#include "files.h"
#include "run_dir.h"
#include "ssh.h"
#include "status.h"
#include "teardown.h"
#include "vm.h"

namespace ntblab::lab {
namespace {

/// One run of `bring_up`, with the directory claimed.
class Start {
  public:
    Start(boost::asio::io_context& io, const Interrupts& interrupts, const Plan& plan,
          const UpOptions& options)
        : interrupts_(interrupts),
          plan_(plan),
          options_(options),
          progress_(plan.topology.name),
          watch_(io, progress_) {}

    /// nullopt: done. Else what went wrong, if it was not a signal.
    std::optional<std::vector<BootFailure>> run() {
        if (auto prepared = prepare(); !prepared) return one_failure(prepared.error().message);
        if (auto started = start(); !started) return one_failure(started.error().message);
        auto failures = watch_.wait(options_.timeout);
        if (!failures.empty() || interrupts_.caught()) return failures;
        if (auto finished = finish(); !finished) return one_failure(finished.error().message);
        return std::nullopt;
    }

    UpResult result() { return {kOk, state_, progress_.seconds()}; }

  private:
    static std::vector<BootFailure> one_failure(const std::string& what) { return {{what, {}}}; }

    Result<void> prepare() {
        take_hold(state_, "up");
        state_.topology = options_.file;
        state_.accelerator = name_of(plan_.accelerator);
        state_.share = plan_.share;
        state_.kernel = plan_.kernel;
        state_.guest_suite = plan_.guest_suite;
        state_.gdb = plan_.gdb;
        state_.started = std::time(nullptr);
        if (auto saved = save_state(plan_.paths, state_); !saved) return saved;
        if (auto copied = write_file(plan_.paths.topology(), plan_.source); !copied) return copied;
        if (!plan_.topology.switches.empty()) {
            auto fabric = start_fabric(plan_);
            if (!fabric) return tl::unexpected(fabric.error());
            fabric_ = std::move(*fabric);
            state_.fabric = fabric_->process.id();
        }
        if (auto made = make_ssh_keys(plan_.paths); !made) return made;
        for (std::size_t node = 0; node < plan_.topology.nodes.size(); ++node)
            if (auto prepared = prepare_vm(plan_, node); !prepared) return prepared;
        return fabric_ ? wait_for_fabric(plan_, *fabric_) : Result<void>{};
    }

    Result<void> start() {
        for (std::size_t node = 0; node < plan_.topology.nodes.size(); ++node) {
            const std::string& name = plan_.topology.nodes[node].name;
            watch_.add(name, plan_.paths.node(name), links_expected(plan_.topology, node));
            auto vm = start_vm(plan_, node);
            if (!vm) return tl::unexpected(vm.error());
            watch_.add_qemu(name, plan_.paths.node(name), vm->pidfd());
            state_.nodes.push_back(describe_node(plan_.topology, node, vm->id()));
            vms_.push_back(std::move(*vm));
        }
        if (fabric_) watch_.add_process("ntb-fabric", plan_.paths.fabric_log(), fabric_->process.pidfd());
        return save_state(plan_.paths, state_);
    }

    Result<void> finish() {
        for (NodeState& node : state_.nodes) {
            auto port = find_ssh_port(plan_.paths.node(node.name));
            if (!port) return tl::unexpected(port.error());
            node.ssh_port = *port;
        }
        state_.ready = true;
        release_hold(state_);
        if (auto saved = save_state(plan_.paths, state_); !saved) return saved;
        progress_.finish(fmt::format("{} {} ready", state_.nodes.size(),
                                     state_.nodes.size() == 1 ? "node is" : "nodes are"));
        return {};
    }

    const Interrupts& interrupts_;
    const Plan& plan_;
    const UpOptions& options_;
    Progress progress_;
    BootWatch watch_;
    ClusterState state_;
    std::optional<StartingFabric> fabric_;
    std::vector<Child> vms_;
};

/// A directory that an option, or else the file, names; `what` is both their name. Errors: there is none.
Result<std::string> named_directory(const UpOptions& options, const std::string& what,
                                    const std::string& option, const std::string& field) {
    if (!option.empty()) {
        auto found = find_directory(option);
        if (!found) return fail(fmt::format("--{} {}", what, found.error().message));
        return found;
    }
    auto found = find_directory(std::filesystem::path(options.file).parent_path() / field);
    if (!found) return fail(fmt::format("{}: {} {}", options.file, what, found.error().message));
    return found;
}

Result<std::string> find_share(const UpOptions& options, const topology::Topology& topology) {
    if (options.share.empty() && topology.share.empty()) return "";
    return named_directory(options, "share", options.share, topology.share);
}

Result<std::string> find_kernel(const UpOptions& options, const topology::Topology& topology) {
    const std::string& wish = options.kernel.empty() ? topology.kernel : options.kernel;
    if (wish == kStockKernel || wish == kDebugKernel) return wish;
    return named_directory(options, "kernel", options.kernel, topology.kernel);
}

}  // namespace

Result<Plan> make_plan(const UpOptions& options) {
    const auto source = topology::read_source(options.file);
    if (!source) return tl::unexpected(source.error());
    auto topology = topology::parse(*source, options.file);
    if (!topology) return tl::unexpected(topology.error());
    for (const std::string& warning : topology->warnings) fmt::print(stderr, "warning: {}\n", warning);
    if (!options.name.empty()) topology->name = options.name;
    const auto accelerator = choose_accelerator(options.accelerator);
    if (!accelerator) return tl::unexpected(accelerator.error());
    const auto share = find_share(options, *topology);
    if (!share) return tl::unexpected(share.error());
    if (!share->empty() && ::geteuid() == 0)
        fmt::print(stderr,
                   "warning: ntblab runs as root: guests can make files of any owner, setuid programs and "
                   "device nodes in {}\n",
                   *share);
    const auto kernel = find_kernel(options, *topology);
    if (!kernel) return tl::unexpected(kernel.error());
    const ClusterPaths paths{run_base() / topology->name};
    const std::string suite = options.guest_suite.empty() ? topology->guest_suite : options.guest_suite;
    const Install install = find_install(*kernel, suite);
    return Plan{std::move(*topology),    *source, paths,   install, *accelerator,
                kernel_options(install), *share,  *kernel, suite,   options.gdb};
}

UpResult bring_up(boost::asio::io_context& io, const Interrupts& interrupts, const Plan& plan,
                  const UpOptions& options) {
    if (const auto base = prepare_run_base(); !base) {
        fmt::print(stderr, "ntblab: {}\n", base.error().message);
        return {};
    }
    const auto lock = claim_new(plan.paths);
    if (!lock) {
        fmt::print(stderr, "ntblab: {}\n", lock.error().message);
        return {.exit_code = kBusy};
    }
    std::optional<std::vector<BootFailure>> failures;
    if (const auto fits = check_host(plan, options.overcommit); !fits) {
        failures = {{fits.error().message, {}}};
    } else {
        Start start(io, interrupts, plan, options);
        failures = start.run();
        if (!failures) return start.result();
    }
    io.restart();
    io.poll();  // a signal may be what made something else fail
    if (interrupts.caught()) {
        fmt::print(stderr, "ntblab: interrupted; taking cluster '{}' down\n", plan.topology.name);
    } else {
        report_failures(plan.paths, *failures);
    }
    if (const auto destroyed = destroy_cluster(plan.paths); !destroyed)
        fmt::print(stderr, "ntblab: {}\n", destroyed.error().message);
    remove_empty_run_base();
    return {.exit_code = interrupts.caught() ? kSignalBase + *interrupts.caught() : kFailure};
}

}  // namespace ntblab::lab

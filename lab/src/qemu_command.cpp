// SPDX-License-Identifier: MIT
#include "qemu_command.h"

#include <fmt/format.h>

#include <cstdlib>

#include "guest_config.h"
#include "lan.h"
#include "qemu_options.h"

namespace ntblab::lab {
namespace {

using topology::Endpoint;
using topology::Topology;
using Options = std::vector<std::string>;

void add(Options& options, const Options& more) {
    options.insert(options.end(), more.begin(), more.end());
}

// TCG does `rep movsb` byte by byte. A guest kernel that sees no ERMS and no FSRM copies by words instead,
// which made TCP over ntb_netdev 2.3 times as fast (1096 -> 2510 Mbit/s).
Options machine(const topology::Node& node, Accelerator accelerator) {
    const bool kvm = accelerator == Accelerator::kvm;
    return {"-machine", "q35,memory-backend=ram",
            "-accel",   kvm ? "kvm" : "tcg,thread=multi",
            "-cpu",     kvm ? "max" : "max,-erms,-fsrm",
            "-smp",     fmt::format("{}", node.cpus),
            "-m",       fmt::format("{}M", node.memory >> 20),
            "-object",  fmt::format("memory-backend-memfd,id=ram,size={}M,share=on", node.memory >> 20)};
}

// Before the devices whose requests it translates. Interrupts are not remapped, for which KVM would need a
// split interrupt controller.
Options iommu(const topology::Node& node) {
    if (!node.iommu) return {};
    return {"-device", "intel-iommu,intremap=off"};
}

Options boot(const topology::Node& node, const Plan& plan) {
    std::string cmdline = plan.kernel_options;
    if (node.iommu) cmdline += " intel_iommu=on";
    if (!node.cmdline.empty()) cmdline += " " + node.cmdline;
    const Install& install = plan.install;
    const std::string image = option_value(install.rootfs());
    return {"-kernel",
            install.kernel(),
            "-initrd",
            install.initrd(),
            "-append",
            cmdline,
            "-blockdev",
            fmt::format(
                "driver=raw,node-name=root,read-only=on,file.driver=file,file.filename={},file.locking=off,"
                "file.read-only=on",
                image),
            "-device",
            "virtio-blk-pci,drive=root"};
}

Options ports(const NodePaths& files) {
    return {"-chardev",
            fmt::format("socket,id=console,path={},server=on,wait=off,logfile={},logappend=on",
                        option_value(files.console_socket()), option_value(files.console_log())),
            "-serial",
            "chardev:console",
            "-chardev",
            fmt::format("socket,id=qmp,path={},server=on,wait=off", option_value(files.qmp_socket())),
            "-mon",
            "chardev=qmp,mode=control",
            "-device",
            "virtio-serial-pci",
            "-chardev",
            fmt::format("file,id=status,path={},append=on", option_value(files.status_log())),
            "-device",
            "virtserialport,chardev=status,name=ntblab.status",
            "-device",
            "virtio-rng-pci"};
}

Options network(const Topology& topology, std::size_t node, const ClusterPaths& paths) {
    Options result = {"-netdev", "user,id=mgmt,hostfwd=tcp:127.0.0.1:0-:22", "-device",
                      fmt::format("virtio-net-pci,netdev=mgmt,mac=52:54:00:4d:00:{:02x},romfile=", node + 1)};
    const Options lan = lan_options(topology, node, paths);
    add(result, lan);
    if (!lan.empty())
        add(result, {"-device",
                     fmt::format("virtio-net-pci,netdev=lan,mac=52:54:00:4c:00:{:02x},romfile=", node + 1)});
    return result;
}

Options guest_files(const ClusterPaths& paths, const NodePaths& files) {
    Options result;
    const std::pair<const char*, std::filesystem::path> entries[] = {
        {"config", files.config()},
        {"hosts", files.hosts()},
        {"authorized_keys", paths.authorized_keys()},
        {"ssh_key", paths.ssh_key()},
        {"ssh_host_key", paths.ssh_host_key()},
        {"ssh_host_key.pub", paths.ssh_host_key().string() + ".pub"}};
    for (const auto& [name, file] : entries)
        add(result, {"-fw_cfg", fmt::format("name=opt/ntblab/{},file={}", name, option_value(file))});
    return result;
}

/// Files keep the owner who runs QEMU: no root is needed, and guests cannot give them away (root's QEMU lets
/// them: bring_up warns). Mapped models would hide owners and modes of what the host puts there.
Options share(const std::string& directory) {
    if (directory.empty()) return {};
    return {
        "-fsdev",
        fmt::format("local,id=share,path={},security_model=none,multidevs=remap", option_value(directory)),
        "-device", fmt::format("virtio-9p-pci,fsdev=share,mount_tag={}", kShareTag)};
}

/// A root port with the endpoint behind it, if so wanted beside the switch's upstream port. The root port can
/// do at least what the endpoint's link needs.
Options endpoint(const Topology& topology, const Endpoint& where, std::size_t number,
                 const ClusterPaths& paths) {
    const topology::Switch& sw = topology.switches[where.sw];
    const topology::Link& link = sw.partitions[where.partition].link;
    Options result = {
        "-device", fmt::format("pcie-root-port,id=rp{0},chassis={1},slot={1},x-speed={2},x-width=16", number,
                               number + 1, link.generation >= 5 ? 32 : 16)};
    if (sw.upstream_port)
        add(result,
            {"-device", fmt::format("switchtec-usp,id=usp{0},bus=rp{0},addr=0.0,multifunction=on,"
                                    "vendor-id={1:#06x},device-id={2:#06x},link-generation={3},"
                                    "link-width={4}",
                                    number, sw.vendor_id, sw.device_id, link.generation, link.width)});
    const unsigned channels = sw.partitions[where.partition].dma;
    // Function 0 says whether there are more.
    const char* more = channels != 0 && !sw.upstream_port ? ",multifunction=on" : "";
    add(result,
        {"-device", fmt::format("switchtec-ntb,id=ntb{0},bus=rp{0},addr=0.{1}{2},fabric={3},switch={4},"
                                "partition={5}",
                                number, sw.endpoint_function(), more, option_value(paths.fabric_socket()),
                                sw.name, where.partition)});
    if (channels != 0)
        add(result,
            {"-device", fmt::format("switchtec-dma,id=dma{0},bus=rp{0},addr=0.{1},ntb=ntb{0},channels={2}",
                                    number, sw.dma_function(), channels)});
    return result;
}

}  // namespace

std::vector<std::string> qemu_command(const Plan& plan, std::size_t node) {
    const Topology& topology = plan.topology;
    const topology::Node& machine_node = topology.nodes[node];
    const NodePaths files = plan.paths.node(machine_node.name);
    Options result = {plan.install.qemu(),
                      "-name",
                      fmt::format("{}/{},debug-threads=on", topology.name, machine_node.name),
                      "-L",
                      plan.install.firmware(),
                      "-nodefaults",
                      "-no-user-config",
                      "-display",
                      "none",
                      "-msg",
                      "timestamp=on",
                      "-D",  // trace events, once they are on
                      files.trace_log()};
    add(result, machine(machine_node, plan.accelerator));
    add(result, iommu(machine_node));
    add(result, boot(machine_node, plan));
    add(result, ports(files));
    add(result, network(topology, node, plan.paths));
    add(result, guest_files(plan.paths, files));
    add(result, share(plan.share));
    if (plan.gdb)
        add(result,
            {"-chardev",
             fmt::format("socket,id=gdb,path={},server=on,wait=off", option_value(files.gdb_socket())),
             "-gdb", "chardev:gdb"});
    std::size_t number = 0;
    for (const Endpoint& where : topology.all_endpoints(node))
        add(result, endpoint(topology, where, number++, plan.paths));
    return result;
}

std::vector<std::string> fabric_command(const Plan& plan) {
    return {plan.install.fabric(), "--topology", plan.paths.topology(), "--run-dir", plan.paths.dir,
            "--ready-fd",          "3"};
}

std::vector<std::string> cluster_environment(const Plan& plan) {
    std::string libraries = plan.install.lib;
    if (const char* path = std::getenv("LD_LIBRARY_PATH"); path != nullptr && *path != '\0')
        libraries += std::string(":") + path;
    return {fmt::format("{}={}", kClusterMark, plan.paths.dir.string()), "LD_LIBRARY_PATH=" + libraries};
}

}  // namespace ntblab::lab

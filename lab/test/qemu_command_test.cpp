// SPDX-License-Identifier: MIT
#include "qemu_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Plan plan(const std::string& text, const std::string& dir = "/run/t") {
    return {topology::parse("name: t\n" + text, "t.yaml").value(),
            text,
            {dir},
            {"/n/bin", "/n/lib", "/n/share"},
            Accelerator::tcg,
            "console=ttyS0 quiet"};
}

constexpr auto kPair =
    "nodes: {a: {cpus: 2, memory: 768M, cmdline: nokaslr}, b: {}}\nswitches: {sw0: {nt-pairs: [[a, b]]}}\n";

/// The arguments of every occurrence of an option.
std::vector<std::string> values(const std::vector<std::string>& line, const std::string& option) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
        if (line[i] == option) result.push_back(line[i + 1]);
    return result;
}

TEST(QemuCommand, HasTheMachineOfTheTopology) {
    const auto line = qemu_command(plan(kPair), 0);
    EXPECT_EQ(line[0], "/n/share/qemu/bin/qemu-system-x86_64");
    EXPECT_THAT(values(line, "-smp"), ElementsAre("2"));
    EXPECT_THAT(values(line, "-object"), ElementsAre("memory-backend-memfd,id=ram,size=768M,share=on"));
    EXPECT_THAT(values(line, "-m"), ElementsAre("768M"));
    EXPECT_THAT(values(line, "-accel"), ElementsAre("tcg,thread=multi"));
    EXPECT_THAT(values(line, "-append"), ElementsAre("console=ttyS0 quiet nokaslr"));
    EXPECT_THAT(line, Contains("-nodefaults"));
    EXPECT_THAT(line, Contains("-no-user-config"));
}

TEST(QemuCommand, HasTheIommuOfANodeThatWantsOneBeforeAllDevices) {
    const Plan both =
        plan("nodes: {a: {iommu: true, cmdline: nokaslr}, b: {}}\nswitches: {sw0: {nt-pairs: [[a, b]]}}\n");
    const auto with = qemu_command(both, 0);
    EXPECT_EQ(values(with, "-device").front(), "intel-iommu,intremap=off");
    EXPECT_THAT(values(with, "-append"), ElementsAre("console=ttyS0 quiet intel_iommu=on nokaslr"));
    const auto without = qemu_command(both, 1);
    EXPECT_THAT(values(without, "-device"), Not(Contains(HasSubstr("iommu"))));
    EXPECT_THAT(values(without, "-append"), ElementsAre("console=ttyS0 quiet"));
}

TEST(QemuCommand, HasAnEndpointBehindARootPort) {
    const auto devices = values(qemu_command(plan(kPair), 1), "-device");
    EXPECT_THAT(devices, Contains("pcie-root-port,id=rp0,chassis=1,slot=1,x-speed=16,x-width=16"));
    EXPECT_THAT(
        devices,
        Contains("switchtec-ntb,id=ntb0,bus=rp0,addr=0.0,fabric=/run/t/fabric.sock,switch=sw0,partition=1"));
}

TEST(QemuCommand, HasAnEndpointForEachPeer) {
    const auto devices =
        values(qemu_command(plan("nodes: {a: {}, b: {}, c: {}}\n"
                                 "switches: {s: {link: {width: x8}, nt-pairs: [[a, b], [a, c], [b, c]]}}\n"),
                            2),
               "-device");
    EXPECT_THAT(
        devices,
        Contains("switchtec-ntb,id=ntb0,bus=rp0,addr=0.0,fabric=/run/t/fabric.sock,switch=s,partition=3"));
    EXPECT_THAT(
        devices,
        Contains("switchtec-ntb,id=ntb1,bus=rp1,addr=0.0,fabric=/run/t/fabric.sock,switch=s,partition=5"));
    EXPECT_THAT(devices, Contains("pcie-root-port,id=rp1,chassis=2,slot=2,x-speed=16,x-width=16"));
}

TEST(QemuCommand, HasTheUpstreamPortAsFunction0IfTheSwitchSaysSo) {
    const Plan board = plan(
        "nodes: {a: {}, b: {}, m: {}}\n"
        "switches: {s: {upstream-port: true, nt-pairs: [[a, b]], management: [m]}}\n");
    for (const std::size_t node : {1, 2}) {
        const auto devices = values(qemu_command(board, node), "-device");
        EXPECT_THAT(devices,
                    Contains("switchtec-usp,id=usp0,bus=rp0,addr=0.0,multifunction=on,vendor-id=0x11f8,"
                             "device-id=0x4052,link-generation=4,link-width=16"));
        EXPECT_THAT(devices, Contains("switchtec-ntb,id=ntb0,bus=rp0,addr=0.1,fabric=/run/t/fabric.sock,"
                                      "switch=s,partition=" +
                                      std::to_string(node)));
    }
}

TEST(QemuCommand, ARootPortCanDoWhatItsEndpointNeeds) {
    const auto line = qemu_command(plan("nodes: {a: {}, b: {}}\nswitches: {s: {model: pfx-52xg5, link: "
                                        "{generation: 5}, nt-pairs: [[a, b]]}}\n"),
                                   0);
    EXPECT_THAT(values(line, "-device"), Contains(HasSubstr("x-speed=32")));
}

TEST(QemuCommand, TellsTheGuestItsFiles) {
    EXPECT_THAT(values(qemu_command(plan(kPair), 0), "-fw_cfg"),
                ElementsAre("name=opt/ntblab/config,file=/run/t/a/config",
                            "name=opt/ntblab/hosts,file=/run/t/a/hosts",
                            "name=opt/ntblab/authorized_keys,file=/run/t/ssh_key.pub",
                            "name=opt/ntblab/ssh_key,file=/run/t/ssh_key",
                            "name=opt/ntblab/ssh_host_key,file=/run/t/ssh_host_key",
                            "name=opt/ntblab/ssh_host_key.pub,file=/run/t/ssh_host_key.pub"));
}

TEST(QemuCommand, ADirectoryIsSharedIfThereIsOne) {
    EXPECT_THAT(values(qemu_command(plan(kPair), 0), "-fsdev"), testing::IsEmpty());
    Plan sharing = plan(kPair);
    sharing.share = "/home/u/a,b";
    const auto line = qemu_command(sharing, 0);
    EXPECT_THAT(values(line, "-fsdev"),
                ElementsAre("local,id=share,path=/home/u/a,,b,security_model=none,multidevs=remap"));
    EXPECT_THAT(values(line, "-device"), Contains("virtio-9p-pci,fsdev=share,mount_tag=ntblab.share"));
}

TEST(QemuCommand, GdbHasASocketIfAsked) {
    EXPECT_THAT(values(qemu_command(plan(kPair), 0), "-gdb"), testing::IsEmpty());
    Plan debugged = plan(kPair);
    debugged.gdb = true;
    const auto line = qemu_command(debugged, 0);
    EXPECT_THAT(values(line, "-gdb"), ElementsAre("chardev:gdb"));
    EXPECT_THAT(values(line, "-chardev"),
                Contains("socket,id=gdb,path=/run/t/a/gdb.sock,server=on,wait=off"));
}

TEST(Install, AKernelHasAnImageOfItsOwn) {
    const Install debug = find_install("debug");
    EXPECT_EQ(debug.kernel(), debug.share / "kernel@debug/vmlinux");
    EXPECT_EQ(debug.rootfs(), debug.share / "image@debug/rootfs.erofs");
    EXPECT_EQ(find_install("/home/u/linux").initrd(), debug.share / "image@+home+u+linux/initrd.img");
    EXPECT_EQ(find_install().kernel(), debug.share / "kernel/vmlinux");
}

TEST(Install, ADebianHasAnImageOfItsOwnUnlessItIsTheDefaultOnes) {
    const TemporaryDir share;
    std::filesystem::create_directory(share.path() / "image");
    std::ofstream(share.path() / "image/suite") << "trixie\n";
    ::setenv("NTBLAB_SHARE", share.path().c_str(), 1);
    EXPECT_EQ(find_install("stock", "trixie").image_dir(), share.path() / "image");
    EXPECT_EQ(find_install("stock", "bookworm").image_dir(), share.path() / "image@bookworm");
    EXPECT_EQ(find_install("stock", "bookworm").kernel_dir(), share.path() / "kernel");
    EXPECT_EQ(find_install("debug", "bookworm").image_dir(), share.path() / "image@debug@bookworm");
    EXPECT_EQ(find_install("debug", "bookworm").kernel_dir(), share.path() / "kernel@debug");
    ::unsetenv("NTBLAB_SHARE");
}

TEST(QemuCommand, MacAddressesCarryTheIndex) {
    const auto line = qemu_command(plan(std::string("lan: true\n") + kPair), 1);
    EXPECT_THAT(values(line, "-device"),
                Contains("virtio-net-pci,netdev=mgmt,mac=52:54:00:4d:00:02,romfile="));
    EXPECT_THAT(values(line, "-device"),
                Contains("virtio-net-pci,netdev=lan,mac=52:54:00:4c:00:02,romfile="));
    EXPECT_THAT(values(qemu_command(plan(kPair), 1), "-device"), Not(Contains(HasSubstr("netdev=lan"))));
}

TEST(QemuCommand, CommasInPathsAreDoubled) {
    const auto line = qemu_command(plan(kPair, "/run/a,b"), 0);
    EXPECT_THAT(values(line, "-chardev"), Contains(HasSubstr("path=/run/a,,b/a/qmp.sock")));
    EXPECT_THAT(values(line, "-device"), Contains(HasSubstr("fabric=/run/a,,b/fabric.sock")));
}

TEST(QemuCommand, TheSameInputGivesTheSameLine) {
    EXPECT_EQ(qemu_command(plan(kPair), 0), qemu_command(plan(kPair), 0));
}

TEST(QemuCommand, EveryProcessCarriesTheMark) {
    EXPECT_THAT(cluster_environment(plan(kPair)), Contains("NTBLAB_CLUSTER_DIR=/run/t"));
    EXPECT_THAT(cluster_environment(plan(kPair)), Contains(testing::StartsWith("LD_LIBRARY_PATH=/n/lib")));
}

TEST(FabricCommand, IsAsNtbFabricExpects) {
    EXPECT_THAT(fabric_command(plan(kPair)),
                ElementsAre("/n/bin/ntb-fabric", "--topology", "/run/t/topology.yaml", "--run-dir", "/run/t",
                            "--ready-fd", "3"));
}

}  // namespace
}  // namespace ntblab::lab

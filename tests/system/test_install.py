# SPDX-License-Identifier: MIT
"""What `cmake --install` and CPack make of a build: a tree from which a user without rights starts clusters, and Debian packages."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest
from support.ntblab_cli import BIN, LIMIT, strays

BUILD = BIN.parent
NOBODY = 65534
AS_ROOT = [] if os.geteuid() == 0 else ["fakeroot"]
PACKAGES = {"ntblab", "ntblab-guest", "ntblab-guest-headers"}
DKMS = "ropcie-dkms"


def run(*command, **options):
    result = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=3 * LIMIT, check=False, **options)
    assert result.returncode == 0, f"{command}: {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def folder():
    """A directory that all users may enter, which pytest's own need not be."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="ntb-install-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def dead_links(documents):
    """Links that lead nowhere."""
    return [f"{page}: {link}" for page in documents.rglob("*.md") for link in re.findall(r"\]\(([^)#:]+)", page.read_text())
            if not (page.parent / link).exists()]


def user(folder):
    """Options to run a program as nobody, in a directory of its own where there is nothing; as ourselves if we may not choose."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "NTBLAB_RUN_DIR": str(home / "run")}
    if os.geteuid() != 0:
        return {"cwd": home, "env": environment}
    os.chown(home, NOBODY, NOBODY)
    return {"cwd": home, "env": environment, "user": NOBODY, "group": NOBODY, "extra_groups": []}


def test_an_installed_tree_boots_an_installed_topology_for_a_user_without_rights(folder):
    prefix = folder / "usr"
    run("cmake", "--install", BUILD, "--prefix", prefix)
    assert dead_links(prefix / "share/doc/ntblab") == []
    ntblab = prefix / "bin" / "ntblab"
    options = user(folder)
    assert f"files {prefix}/share/ntblab\n" in run(ntblab, "version", **options)
    dry = run(ntblab, "up", prefix / "share/ntblab/topologies/pair.yaml", "--dry-run", **options)
    assert f"LD_LIBRARY_PATH={prefix}/lib/ntblab/qemu/lib " in dry and str(BUILD) not in dry
    try:
        run(ntblab, "up", prefix / "share/ntblab/topologies/pair.yaml", **options)
        assert " 0% packet loss" in run(ntblab, "exec", "a", "--", "ping", "-c", "1", "-w", "60", "b", **options)
    finally:
        run(ntblab, "down", "--all", **options)
    assert strays(options["env"]["NTBLAB_RUN_DIR"]) == []


def test_a_tree_that_lacks_the_guest_says_what_to_install(folder):
    prefix = folder / "bare"
    run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "ntblab")
    result = subprocess.run([prefix / "bin/ntblab", "up", prefix / "share/ntblab/topologies/pair.yaml"], capture_output=True, text=True,
                            timeout=LIMIT, check=False, **user(folder))
    assert result.returncode == 1
    assert f"{prefix}/share/ntblab/kernel/vmlinux" in result.stderr and "install the packages ntblab and ntblab-guest" in result.stderr
    result = subprocess.run([prefix / "bin/ntblab", "up", prefix / "share/ntblab/topologies/pair.yaml", "--kernel", "debug"], capture_output=True,
                            text=True, timeout=LIMIT, check=False, **user(folder))
    assert result.stderr.endswith("run `./bootstrap kernel debug` (which takes long the first time) in a clone of ntblab, "
                                  "and let NTBLAB_SHARE name its build/share/ntblab\n")


@pytest.fixture(scope="module")
def packages(folder):
    """{name: file} of the packages that CPack makes."""
    run("nice", "cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder / "packages")
    files = {path.name.split("_")[0]: path for path in (folder / "packages").glob("*.deb")}
    assert set(files) == PACKAGES | {DKMS}
    return files


def field(package, name):
    return run("dpkg-deb", "-f", package, name).strip()


def test_packages_say_what_they_need(packages):
    version = field(packages["ntblab"], "Version")
    needs = field(packages["ntblab"], "Depends")
    for part in (f"ntblab-guest (= {version})", "openssh-client", "libc6 (>=", "libslirp0", "libglib2.0-0", "libyaml-cpp0", "libfmt9", "libspdlog"):
        assert part in needs
    assert field(packages["ntblab-guest"], "Depends") == ""
    assert f"ntblab-guest (= {version})" in field(packages["ntblab-guest-headers"], "Depends")
    assert "dkms" in field(packages[DKMS], "Depends")
    for name, package in packages.items():
        assert field(package, "Architecture") == ("all" if name == DKMS else "amd64")
        assert field(package, "Description").split("\n")[0]


def test_packages_hold_what_a_user_looks_for(packages):
    content = run("dpkg-deb", "-c", packages["ntblab"])
    for path in ("bin/ntblab", "lib/ntblab/ntb-fabric", "lib/ntblab/qemu/lib/libntb-endpoint.so.4", "lib/ntblab/qemu/bin/qemu-system-x86_64",
                 "lib/ntblab/qemu/share/bios-256k.bin", "share/ntblab/topologies/pair.yaml", "share/ntblab/topologies/topology.schema.json",
                 "share/doc/ntblab/README.md", "share/doc/ntblab/docs/ntblab.md", "share/doc/ntblab/copyright", "share/man/man1/ntblab.1.gz",
                 "share/bash-completion/completions/ntblab", "share/zsh/vendor-completions/_ntblab",
                 "share/fish/vendor_completions.d/ntblab.fish"):
        assert f" ./usr/{path}\n" in content, path
    assert " ./usr/share/ntblab/qemu -> ../../lib/ntblab/qemu\n" in content
    assert not [line for line in content.splitlines() if " root/root " not in line]
    for name in PACKAGES:  # no scripts: nothing of the system changes but for the files
        assert run("dpkg-deb", "--ctrl-tarfile", packages[name], encoding="latin-1").count("postinst") == 0


def test_packages_install_and_leave_nothing_when_they_are_removed(packages, folder):
    root = folder / "root"
    (root / "var/lib/dpkg/info").mkdir(parents=True)
    (root / "var/lib/dpkg/updates").mkdir()
    (root / "var/lib/dpkg/status").touch()
    before = {path for path in root.rglob("*") if "var/lib/dpkg" not in str(path)}
    # The libraries that they depend on are those of this machine.
    run(*AS_ROOT, "dpkg", f"--root={root}", "--force-depends", "--force-not-root", "--install", *(packages[name] for name in PACKAGES))
    assert f"files {root}/usr/share/ntblab\n" in run(root / "usr/bin/ntblab", "version", **user(folder))
    headers = (root / "usr/share/ntblab/kernel/headers").resolve()
    assert headers.is_relative_to(root) and (headers / "Makefile").exists() and (headers / "scripts/mod/modpost").exists()
    run(*AS_ROOT, "dpkg", f"--root={root}", "--force-depends", "--force-not-root", "--purge", *PACKAGES)
    assert {path for path in root.rglob("*") if "var/lib/dpkg" not in str(path)} == before


@pytest.fixture
def dkms(packages, folder, tmp_path):
    """Runs a command of dkms on the package's module, with trees of its own, as whoever runs this."""
    shutil.rmtree(folder / "dkms", ignore_errors=True)
    run("dpkg-deb", "-x", packages[DKMS], folder / "dkms")
    (tmp_path / "tree").mkdir()
    trees = ["--dkmstree", tmp_path / "tree", "--sourcetree", folder / "dkms/usr/src"]

    def call(command, *options):
        return subprocess.run([*map(str, ("dkms", command, *trees, *options, f"ropcie/{field(packages[DKMS], 'Version')}"))],
                              capture_output=True, text=True, timeout=3 * LIMIT, check=False)

    added = call("add")
    assert added.returncode == 0, added.stderr
    return call


def test_dkms_builds_the_module_of_ropcie(dkms, tmp_path):
    """For the guests' kernel, whose headers know NTB."""
    kernel = (BUILD / "share/ntblab/kernel/version").read_text().strip()
    built = dkms("build", "-k", kernel, "--kernelsourcedir", BUILD / "share/ntblab/kernel/headers")
    assert built.returncode == 0, built.stdout + built.stderr
    made = list((tmp_path / "tree").rglob("*.ko*"))
    assert [path.name.split(".")[0] for path in made] == ["ropcie"]
    assert "ib_uverbs" in run("modinfo", "-F", "depends", made[0])


def test_dkms_skips_kernels_without_ntb(dkms, tmp_path):
    """As Debian's own are: exit code 77, at which its postinst goes on and the package is installed all the same."""
    (tmp_path / "headers/include").mkdir(parents=True)
    (tmp_path / "headers/Module.symvers").write_text("0x82888248\tib_register_device\tdrivers/infiniband/core/ib_core\tEXPORT_SYMBOL\t\n")
    skipped = dkms("build", "-k", "6.1.0-no-ntb", "--kernelsourcedir", tmp_path / "headers")
    assert skipped.returncode == 77, skipped.stdout + skipped.stderr


def test_ropcie_dkms_is_built_for_kernels_to_come_and_in_no_kernels_way(packages, folder):
    """AUTOINSTALL of DKMS 3.0 would fail the installation of a kernel's headers that it skips."""
    content = run("dpkg-deb", "-c", packages[DKMS])
    assert "test/" not in content
    run("dpkg-deb", "-x", packages[DKMS], folder / "hooks")
    assert "AUTOINSTALL=" not in next((folder / "hooks/usr/src").glob("*/dkms.conf")).read_text()
    assert dead_links(folder / "hooks/usr/share/doc") == []
    for when in ("postinst.d", "header_postinst.d"):
        assert run(folder / "hooks/etc/kernel" / when / DKMS, "6.1.0-without-headers") == ""
    control = run("dpkg-deb", "--ctrl-tarfile", packages[DKMS], encoding="latin-1")
    assert "./postinst" in control and "./prerm" in control

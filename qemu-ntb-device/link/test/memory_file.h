// SPDX-License-Identifier: MIT
// RAM of a host, for tests: a sealed memfd, as a hypervisor's.
#pragma once

#include <fcntl.h>
#include <ntblab/unique_fd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

namespace ntblink::test {

inline ntblab::UniqueFd memory_file(std::uint64_t size, bool sealed = true) {
    ntblab::UniqueFd fd(::memfd_create("test-ram", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(size)) != 0) throw std::runtime_error("memfd");
    if (sealed && ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) throw std::runtime_error("seal");
    return fd;
}

}  // namespace ntblink::test

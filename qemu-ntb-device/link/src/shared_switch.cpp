// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <ntblink/shared_switch.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

namespace ntblink {

namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;

std::size_t state_offset() {
    const std::size_t alignment = std::max<std::size_t>(switchtec::Chip::state_alignment(), 64);
    return (sizeof(SegmentHeader) + alignment - 1) / alignment * alignment;
}

tl::unexpected<ntblab::Error> system_failure(const std::string& what) {
    return ntblab::fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

void initialise_mutex(pthread_mutex_t& mutex) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

}  // namespace

SharedSwitch::Mapping::Mapping(Mapping&& other) noexcept
    : data(std::exchange(other.data, nullptr)), size(std::exchange(other.size, 0)) {}

SharedSwitch::Mapping& SharedSwitch::Mapping::operator=(Mapping&& other) noexcept {
    std::swap(data, other.data);
    std::swap(size, other.size);
    return *this;
}

SharedSwitch::Mapping::~Mapping() {
    if (data != nullptr) ::munmap(data, size);
}

SharedSwitch::SharedSwitch(ntblab::UniqueFd memory_fd, Mapping memory, std::vector<ntblab::UniqueFd> events)
    : memory_fd_(std::move(memory_fd)), memory_(std::move(memory)), events_(std::move(events)) {}

ntblab::Result<SharedSwitch::Mapping> SharedSwitch::map(int fd, std::size_t size) {
    void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) return system_failure(fmt::format("mapping {} bytes of switch memory", size));
    return Mapping(static_cast<std::byte*>(data), size);
}

ntblab::Result<SharedSwitch> SharedSwitch::create(const std::string& name,
                                                  const switchtec::ChipConfig& config) {
    const std::size_t size = state_offset() + switchtec::Chip::state_size();
    ntblab::UniqueFd fd(::memfd_create(("ntb-switch:" + name).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd) return system_failure("creating the memory of switch " + name);
    if (::ftruncate(fd.get(), static_cast<off_t>(size)) != 0 || ::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0) {
        return system_failure("sizing the memory of switch " + name);
    }
    auto memory = map(fd.get(), size);
    if (!memory) return tl::unexpected(memory.error());

    std::vector<ntblab::UniqueFd> events;
    for (std::size_t i = 0; i < config.partitions.size(); ++i) {
        events.emplace_back(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        if (!events.back()) return system_failure("creating an eventfd for switch " + name);
    }

    auto* header = new (memory->data) SegmentHeader{};
    header->magic = kSegmentMagic;
    header->version = kSegmentVersion;
    header->header_size = sizeof(SegmentHeader);
    header->mutex_size = sizeof(pthread_mutex_t);
    header->partitions = static_cast<std::uint32_t>(events.size());
    header->state_offset = state_offset();
    header->state_size = switchtec::Chip::state_size();
    initialise_mutex(header->mutex);

    std::span<std::byte> state(memory->data + header->state_offset, header->state_size);
    auto chip = switchtec::Chip::create(state, config);
    if (!chip) return ntblab::fail(fmt::format("switch {}: {}", name, chip.error().message));
    SharedSwitch shared(std::move(fd), std::move(*memory), std::move(events));
    shared.chip_ = *chip;
    return shared;
}

ntblab::Result<SharedSwitch> SharedSwitch::open(ntblab::UniqueFd memory_fd,
                                                std::vector<ntblab::UniqueFd> events) {
    struct stat status {};
    if (::fstat(memory_fd.get(), &status) != 0) return system_failure("looking at the switch memory");
    const int seals = ::fcntl(memory_fd.get(), F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
        return ntblab::fail("the switch memory from the fabric is not sealed against shrinking");
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size < sizeof(SegmentHeader)) {
        return ntblab::fail(
            fmt::format("the switch memory from the fabric has {} bytes, expected at least {}", size,
                        sizeof(SegmentHeader)));
    }
    auto memory = map(memory_fd.get(), size);
    if (!memory) return tl::unexpected(memory.error());
    SharedSwitch shared(std::move(memory_fd), std::move(*memory), std::move(events));
    if (auto checked = shared.check(); !checked) return tl::unexpected(checked.error());
    const SegmentHeader& header = shared.header();
    auto chip = switchtec::Chip::open({shared.memory_.data + header.state_offset, header.state_size});
    if (!chip) return tl::unexpected(chip.error());
    shared.chip_ = *chip;
    return shared;
}

ntblab::Result<void> SharedSwitch::check() const {
    const auto& header = *reinterpret_cast<const SegmentHeader*>(memory_.data);
    const auto differs = [](const char* field, std::uint64_t found, std::uint64_t expected) {
        return ntblab::fail(
            fmt::format("switch memory: {} is {:#x}, expected {:#x}; start the cluster with ntb-fabric and "
                        "libntb-endpoint.so of one build",
                        field, found, expected));
    };
    if (header.magic != kSegmentMagic) return differs("magic", header.magic, kSegmentMagic);
    if (header.version != kSegmentVersion) return differs("version", header.version, kSegmentVersion);
    if (header.header_size != sizeof(SegmentHeader)) {
        return differs("header size", header.header_size, sizeof(SegmentHeader));
    }
    if (header.mutex_size != sizeof(pthread_mutex_t)) {
        return differs("mutex size", header.mutex_size, sizeof(pthread_mutex_t));
    }
    if (header.partitions != events_.size())
        return differs("partition count", header.partitions, events_.size());
    if (header.state_offset != state_offset())
        return differs("state offset", header.state_offset, state_offset());
    if (header.state_size != memory_.size - header.state_offset) {
        return differs("state size", header.state_size, memory_.size - header.state_offset);
    }
    return {};
}

SharedSwitch::Guard::Guard(SharedSwitch& shared) : shared_(shared) {
    pthread_mutex_t& mutex = shared_.header().mutex;
    const int error = pthread_mutex_lock(&mutex);
    if (error == EOWNERDEAD) {
        shared_.chip_->repair();
        pthread_mutex_consistent(&mutex);
    } else if (error != 0) {
        throw std::system_error(error, std::generic_category(), "locking the switch");
    }
}

SharedSwitch::Guard::~Guard() {
    pthread_mutex_unlock(&shared_.header().mutex);
}

void SharedSwitch::signal(unsigned partition) {
    const std::uint64_t one = 1;
    // The counter is never read, only its becoming readable anew: it cannot reach its limit of 2^64 - 1 in a
    // run.
    [[maybe_unused]] const ssize_t written = ::write(events_[partition].get(), &one, sizeof(one));
}

void SharedSwitch::wake(std::uint64_t partitions) {
    while (partitions != 0) {
        const auto partition = static_cast<unsigned>(__builtin_ctzll(partitions));
        partitions &= partitions - 1;
        if (partition >= events_.size()) return;
        if (slot(partition).signalled.exchange(1, std::memory_order_acq_rel) == 0) signal(partition);
    }
}

void SharedSwitch::wake_all() {
    for (unsigned partition = 0; partition < partitions(); ++partition) {
        slot(partition).signalled.store(1, std::memory_order_release);
        signal(partition);
    }
}

}  // namespace ntblink

// SPDX-License-Identifier: MIT
// libFuzzer target: what clients may say to a fabric. In this process a fabric serves, and two well-behaved
// hosts have a window open; the bytes are what up to four more clients do. Each message has to be answered or
// its connection be ended, and the two hosts must not notice.
#include <fabric/fabric.h>
#include <fcntl.h>
#include <ntblab/test/choices.h>
#include <ntblink/packet.h>
#include <ntblink/protocol.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster.h"
#include "driver.h"
#include "host.h"

namespace {

using namespace fabric::test;
namespace wire = ntblink::wire;
using ntblab::test::Choices;
using ntblink::Transfer;

constexpr unsigned kPartitions = 6;  // 0 and 1 are the hosts'.
constexpr unsigned kClients = 4;

[[noreturn]] void broken(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
}

/// The fabric in a thread, the two hosts in this one.
class Victims {
  public:
    Victims() {
        spdlog::set_level(spdlog::level::off);
        std::string pattern = std::filesystem::temp_directory_path() / "ntb-fuzz-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) broken("mkdtemp");
        directory_ = pattern;
        socket_ = pattern + "/fabric.sock";
        auto run_dir = fabric::RunDir::take(pattern);
        if (!run_dir) broken(run_dir.error().message);
        auto fab = fabric::Fabric::create(star(kPartitions), std::move(*run_dir));
        if (!fab) broken(fab.error().message);
        std::thread([served = std::move(*fab)]() mutable { (void)served.run(); }).detach();
        for (unsigned p = 0; p < 2; ++p) hosts_[p] = std::make_unique<Host>(socket_, p);
        const auto service = [this] {
            for (const auto& host : hosts_) host->service();
        };
        admit_cpu(*hosts_[1], service);
        offer(*hosts_[0], 1, {{2, 0, 0x10000}}, service);
        hosts_[1]->wait([this] { return !hosts_[1]->windows().empty(); });
        window_ = hosts_[1]->windows();
        if (window_.empty()) broken("the hosts have no window");
    }

    ~Victims() { std::filesystem::remove_all(directory_); }
    Victims(const Victims&) = delete;
    Victims& operator=(const Victims&) = delete;

    const std::string& socket() const { return socket_; }

    void look() {
        for (const auto& host : hosts_) {
            host->service();
            if (!host->lost.empty()) broken("a host lost the fabric: " + host->lost.front());
        }
        const auto now = hosts_[1]->windows();
        const bool same = std::equal(
            now.begin(), now.end(), window_.begin(), window_.end(), [](const auto& a, const auto& b) {
                return a.bar == b.bar && a.offset == b.offset && a.size == b.size && a.address == b.address;
            });
        if (!same) broken("a host's window changed");
        ++marker_;
        std::memcpy(hosts_[0]->ram(), &marker_, sizeof(marker_));
        if (std::memcmp(hosts_[1]->bar(window_.front().bar) + window_.front().offset, &marker_,
                        sizeof(marker_)) != 0)
            broken("the window shows other memory");
    }

  private:
    std::filesystem::path directory_;
    std::string socket_;
    std::unique_ptr<Host> hosts_[2];
    std::vector<NtbMappedWindow> window_;
    std::uint64_t marker_ = 0;
};

class Client {
  public:
    explicit Client(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof(address.sun_path) - 1);
        timeval limit{20, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        if (::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
            broken("the fabric takes no connection");
    }

    /// Sends and waits for the answer; false: the conversation is over.
    bool say(std::span<const std::byte> message, std::span<const int> fds) {
        if (message.empty() || ntblink::send_packet(socket_.get(), message, fds) != Transfer::done)
            return false;
        for (;;) {
            const auto received = ntblink::receive_packet(socket_.get());
            if (received.status == Transfer::would_block) broken("no answer within 20 s");
            if (received.status != Transfer::done) return false;
            if (!received.packet.as<wire::RamTable>()) return true;  // That is about peers, and no answer.
        }
    }

  private:
    ntblab::UniqueFd socket_;
};

ntblab::UniqueFd ranges_file(Choices& bytes, unsigned count) {
    ntblab::UniqueFd file(::memfd_create("ranges", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    for (unsigned i = 0; i < count; ++i) {
        wire::RamRange range{};
        range.address = bytes.take(3) << 12;
        range.size = bytes.take(2) << 12 | (bytes.below(8) == 0 ? bytes.take(1) : 0);
        range.fd_offset = bytes.take(2) << 12;
        range.file = bytes.below(3);
        if (::write(file.get(), &range, sizeof(range)) != sizeof(range)) broken("no room for a memfd");
    }
    if (bytes.below(8) != 0)
        ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    return file;
}

template <typename M>
std::vector<std::byte> bytes_of(const M& message) {
    const auto span = std::as_bytes(std::span(&message, 1));
    return {span.begin(), span.end()};
}

/// A message that most often is well formed, with some of its bytes changed.
void converse(Choices& bytes, Client& client, bool& open) {
    std::vector<std::byte> message;
    std::vector<ntblab::UniqueFd> files;
    switch (bytes.below(6)) {
        case 0: {
            auto hello = wire::make<wire::Hello>();
            hello.magic = wire::kMagic;
            hello.version = wire::kVersion;
            hello.partition = 2 + bytes.below(kPartitions - 1);
            hello.vectors = static_cast<std::uint8_t>(bytes.below(4) == 0 ? bytes.take(1) : 0);
            hello.bar2_size = bytes.below(4) == 0 ? 1ULL << bytes.below(64) : 0;
            ntblink::put_text(hello.switch_name, "sw0");
            message = bytes_of(hello);
            break;
        }
        case 1:
        case 2: {
            auto table = wire::make<wire::RamTable>();
            table.partition = 2 + bytes.below(kPartitions - 2);
            table.count = bytes.below(8);
            table.viewers = bytes.below(2) != 0 ? wire::kEverybody : bytes.take(1);
            message = bytes_of(table);
            files.push_back(ranges_file(bytes, bytes.below(8) == 0 ? bytes.below(8) : table.count));
            for (unsigned n = bytes.below(3); n != 0; --n) {
                files.emplace_back(::memfd_create("ram", MFD_CLOEXEC | MFD_ALLOW_SEALING));
                if (::ftruncate(files.back().get(), static_cast<off_t>(bytes.take(2) << 12)) != 0)
                    broken("no room for a memfd");
            }
            break;
        }
        case 3:
            message = bytes_of(wire::make<wire::Detach>());
            break;
        case 4: {
            auto inspect = wire::make<wire::Inspect>();
            inspect.magic = wire::kMagic;
            inspect.version = wire::kVersion;
            message = bytes_of(inspect);
            break;
        }
        default:
            message.resize(bytes.take(2) % 600);
            for (std::byte& byte : message) byte = static_cast<std::byte>(bytes.take(1));
    }
    for (unsigned changed = bytes.below(8); changed < 3 && !message.empty(); ++changed)
        message[bytes.take(1) % message.size()] = static_cast<std::byte>(bytes.take(1));
    std::vector<int> fds;
    for (const auto& file : files) fds.push_back(file.get());
    open = client.say(message, fds);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Victims victims;
    Choices bytes({data, size});
    std::array<std::unique_ptr<Client>, kClients> clients;
    while (!bytes.empty()) {
        std::unique_ptr<Client>& client = clients[bytes.below(kClients)];
        if (!client) client = std::make_unique<Client>(victims.socket());
        bool open = true;
        converse(bytes, *client, open);
        if (!open || bytes.below(16) == 0) client.reset();
    }
    victims.look();
    return 0;
}

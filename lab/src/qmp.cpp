// SPDX-License-Identifier: MIT
#include "qmp.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <istream>
#include <nlohmann/json.hpp>

#include "text.h"

namespace ntblab::lab {
namespace {

using nlohmann::json;
using Socket = boost::asio::local::stream_protocol::socket;

constexpr std::chrono::seconds kAnswerLimit{10};

/// A JSON document a line.
class Monitor {
  public:
    explicit Monitor(const std::filesystem::path& path) : socket_(io_) { socket_.connect(path.string()); }

    json receive() {
        boost::system::error_code result = boost::asio::error::timed_out;
        boost::asio::async_read_until(socket_, buffer_, '\n',
                                      [&](const auto& error, std::size_t) { result = error; });
        io_.restart();
        io_.run_for(kAnswerLimit);
        if (result) throw boost::system::system_error(result);
        std::istream stream(&buffer_);
        std::string line;
        std::getline(stream, line);
        return json::parse(line);
    }

    json execute(const json& command) {
        boost::asio::write(socket_, boost::asio::buffer(command.dump() + "\n"));
        for (;;) {
            json answer = receive();
            if (answer.contains("return") || answer.contains("error")) return answer;  // others are events
        }
    }

  private:
    boost::asio::io_context io_;
    Socket socket_;
    boost::asio::streambuf buffer_;
};

}  // namespace

Result<json> monitor_command(const std::filesystem::path& socket, const std::string& command,
                             const json& arguments) {
    try {
        Monitor monitor(socket);
        monitor.receive();  // the greeting
        monitor.execute({{"execute", "qmp_capabilities"}});
        const json answer = monitor.execute({{"execute", command}, {"arguments", arguments}});
        if (answer.contains("error"))
            return fail(socket.string() + ": " + answer["error"]["desc"].get<std::string>());
        return answer["return"];
    } catch (const boost::system::system_error& error) {
        return fail(socket.string() + ": QEMU's monitor does not answer (" + error.code().message() +
                    "); is another program connected to it?");
    } catch (const json::exception& error) {
        return fail(socket.string() + ": QEMU's monitor gave an unexpected answer (" + error.what() + ")");
    }
}

Result<std::string> human_monitor_command(const std::filesystem::path& socket, const std::string& command) {
    const auto answer = monitor_command(socket, "human-monitor-command", {{"command-line", command}});
    if (!answer) return tl::unexpected(answer.error());
    if (answer->is_string()) return answer->get<std::string>();
    return fail(socket.string() + ": QEMU's monitor gave an unexpected answer: " + answer->dump());
}

Result<unsigned> forwarded_ssh_port(const std::string& info_usernet) {
    // Protocol[State]    FD  Source Address  Port   Dest. Address  Port RecvQ SendQ
    for (const std::string& line : split(info_usernet, '\n')) {
        const auto fields = split(line, ' ');
        if (fields.size() < 6 || fields[0] != "TCP[HOST_FORWARD]" || fields[5] != "22") continue;
        try {
            const unsigned long port = std::stoul(fields[3]);
            if (port > 0 && port < 65536) return static_cast<unsigned>(port);
        } catch (const std::logic_error&) {
            break;
        }
    }
    return fail("QEMU forwards no port to the guest's ssh; its answer to 'info usernet' was:\n" +
                info_usernet);
}

}  // namespace ntblab::lab

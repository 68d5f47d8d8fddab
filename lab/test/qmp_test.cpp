// SPDX-License-Identifier: MIT
#include "qmp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <istream>
#include <thread>

#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

using testing::HasSubstr;
using Protocol = boost::asio::local::stream_protocol;

/// A monitor that greets, and gives each line it receives the next of its answers.
class FakeMonitor {
  public:
    FakeMonitor(const std::filesystem::path& path, std::vector<std::string> answers)
        : acceptor_(io_, Protocol::endpoint(path.string())),
          thread_([this, answers = std::move(answers)] { serve(answers); }) {}
    ~FakeMonitor() { thread_.join(); }
    FakeMonitor(const FakeMonitor&) = delete;
    FakeMonitor& operator=(const FakeMonitor&) = delete;

  private:
    void serve(const std::vector<std::string>& answers) {
        Protocol::socket client = acceptor_.accept();
        boost::asio::write(client, boost::asio::buffer(std::string("{\"QMP\": {}}\r\n")));
        boost::asio::streambuf received;
        for (const std::string& answer : answers) {
            boost::system::error_code error;
            const std::size_t size = boost::asio::read_until(client, received, '\n', error);
            if (error) return;
            received.consume(size);
            boost::asio::write(client, boost::asio::buffer(answer), error);
        }
    }
    boost::asio::io_context io_;
    Protocol::acceptor acceptor_;
    std::thread thread_;
};

TEST(Qmp, GivesTheMonitorsText) {
    const TemporaryDir dir;
    const FakeMonitor monitor(
        dir.path() / "qmp",
        {"{\"return\": {}}\r\n", "{\"event\": \"RESUME\"}\r\n{\"return\": \"text\\r\\n\"}\r\n"});
    EXPECT_EQ(human_monitor_command(dir.path() / "qmp", "info usernet").value(), "text\r\n");
}

TEST(Qmp, AnErrorIsPassedOn) {
    const TemporaryDir dir;
    const FakeMonitor monitor(dir.path() / "qmp",
                              {"{\"return\": {}}\r\n", "{\"error\": {\"desc\": \"no such thing\"}}\r\n"});
    EXPECT_THAT(human_monitor_command(dir.path() / "qmp", "x").error().message, HasSubstr("no such thing"));
}

TEST(Qmp, AnAnswerThatIsNoneIsAnError) {
    const TemporaryDir dir;
    const FakeMonitor monitor(dir.path() / "qmp", {"nonsense\r\n"});
    EXPECT_THAT(human_monitor_command(dir.path() / "qmp", "x").error().message,
                HasSubstr("unexpected answer"));
}

TEST(Qmp, AMonitorThatEndsIsAnError) {
    const TemporaryDir dir;
    const FakeMonitor monitor(dir.path() / "qmp", {});
    EXPECT_THAT(human_monitor_command(dir.path() / "qmp", "x").error().message, HasSubstr("does not answer"));
    EXPECT_THAT(human_monitor_command(dir.path() / "none", "x").error().message,
                HasSubstr("does not answer"));
}

TEST(Qmp, TheForwardedPortIsReadFromTheTable) {
    const std::string table =
        "Hub -1 (mgmt):\r\n  Protocol[State]    FD  Source Address  Port   Dest. Address  Port RecvQ "
        "SendQ\r\n"
        "  TCP[ESTABLISHED]   96       127.0.0.1 11111       10.0.2.15    22     0     0\r\n"
        "  TCP[HOST_FORWARD]  14       127.0.0.1 42445       10.0.2.15    22     0     0\r\n";
    EXPECT_EQ(forwarded_ssh_port(table).value(), 42445U);
    EXPECT_THAT(forwarded_ssh_port("nothing\r\n").error().message, HasSubstr("forwards no port"));
}

}  // namespace
}  // namespace ntblab::lab

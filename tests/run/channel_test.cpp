#include <boost/test/unit_test.hpp>
#include <thread>

#include "engine/run/worker_process.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(channel)

namespace {
using Message = std::string;
}

BOOST_AUTO_TEST_CASE(messages_arrive_whole_and_in_order) {
  auto [here, there] = Channel::pair();
  // More than a socket buffers: the two sides must work at the same time.
  const Message large(10'000'000, 'x');
  Channel& sender = here;
  std::thread thread([&sender, &large] {
    sender.send(Message{});
    sender.send(large);
    sender.send(Message("\1\2\3"));
  });
  BOOST_TEST(there.receive(10).empty());
  BOOST_TEST((there.receive(10) == large));
  BOOST_TEST((there.receive(10) == Message("\1\2\3")));
  thread.join();
}

BOOST_AUTO_TEST_CASE(silence_is_a_timeout) {
  auto [here, there] = Channel::pair();
  BOOST_CHECK_THROW(there.receive(0.01), ChannelTimeout);
}

BOOST_AUTO_TEST_CASE(an_end_that_takes_nothing_is_a_timeout) {
  auto [here, there] = Channel::pair();
  here.send(Message(100, 'x'), 0.01);
  BOOST_CHECK_THROW(here.send(Message(10'000'000, 'x'), 0.01), ChannelTimeout);
}

BOOST_AUTO_TEST_CASE(a_closed_end_is_noticed_by_both_reading_and_writing) {
  auto [here, there] = Channel::pair();
  { const Channel gone = std::move(there); }
  BOOST_CHECK_THROW(here.receive(1), ChannelClosed);
  BOOST_CHECK_THROW(here.send(Message(100, 'x')), ChannelClosed);
}

BOOST_AUTO_TEST_SUITE_END()

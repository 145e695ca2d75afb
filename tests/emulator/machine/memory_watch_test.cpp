#include <boost/test/unit_test.hpp>

#include "engine/emulator/machine/memory.h"
#include "tests/contains.h"

namespace memory_watch {
namespace {

using sweep::MachineMemory;
using sweep::MemoryShortage;
using sweep::MemoryWatch;

constexpr std::uint64_t mebi = 1U << 20U;

MachineMemory roomy() {
  return {1600 * mebi, 800 * mebi};
}
MachineMemory full() {
  return {1600 * mebi, 99 * mebi};
}

}  // namespace
}  // namespace memory_watch

BOOST_AUTO_TEST_SUITE(memory_watch)

BOOST_AUTO_TEST_CASE(touching_goes_on_while_the_machine_has_memory) {
  MemoryWatch watch(roomy);
  for (int i = 0; i < 100; ++i) BOOST_CHECK_NO_THROW(watch.note(mebi));
}

BOOST_AUTO_TEST_CASE(touching_ends_before_the_memory_does) {
  // A sixteenth of the machine's memory is kept free; a look is taken every 16 MiB.
  MemoryWatch watch(full);
  for (int i = 0; i < 15; ++i) BOOST_CHECK_NO_THROW(watch.note(mebi));
  BOOST_CHECK_EXCEPTION(watch.note(mebi), MemoryShortage, [](const MemoryShortage& shortage) {
    return sweep::contains(shortage.what(), "of this machine's 1.6 GiB are 99 MiB free");
  });
}

BOOST_AUTO_TEST_CASE(what_is_needed_at_once_must_be_there) {
  const MemoryWatch watch(roomy);
  BOOST_CHECK_NO_THROW(watch.require(700 * mebi));
  BOOST_CHECK_THROW(watch.require(701 * mebi), MemoryShortage);
  BOOST_CHECK_THROW(watch.require(std::uint64_t{1} << 62U), MemoryShortage);
  // What is small is not looked after.
  BOOST_CHECK_NO_THROW(MemoryWatch(full).require(15 * mebi));
}

BOOST_AUTO_TEST_SUITE_END()

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <vector>

#include "engine/store/store.h"
#include "tests/store/child_process.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(processes)

namespace {

// The child says "." after each point; once it has said so `points` times, it is killed, wherever
// it is then.
BOOST_DATA_TEST_CASE_F(DatabaseFolder, a_killed_run_keeps_its_points, data::make({1, 7, 40}),
                       points) {
  std::string said;
  {
    ChildProcess child([&](const ChildProcess::Say& say) {
      Store store(path, Store::Mode::read_write);
      const std::int64_t run = store.begin_run(example_provenance());
      for (std::int64_t stride = 0;; ++stride) {
        store.add_point(run, stride, example_point(stride));
        say(".");
      }
      return std::string();
    });
    said = child.read(static_cast<std::size_t>(points));
    child.kill();
    said += child.read_all();
  }
  BOOST_REQUIRE(said.size() >= static_cast<std::size_t>(points));

  Store store(path, Store::Mode::read_write);
  const RunRecord killed = store.runs().at(0);
  BOOST_TEST((killed.state == RunState::running));
  BOOST_TEST(killed.finished == "");
  const auto kept = store.points(killed.id);
  // It may have been killed between a point's commit and saying so.
  BOOST_TEST(kept.size() >= said.size());
  BOOST_TEST(kept.size() <= said.size() + 1);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    BOOST_TEST((kept[i].point == example_point(static_cast<std::int64_t>(i))));
  }

  const std::int64_t resumed = store.begin_run(example_provenance());
  BOOST_TEST(store.reuse_point(resumed, 0, example_key(0)).has_value());
  BOOST_TEST(store.points(resumed).at(0).measured_by == killed.id);
}

BOOST_FIXTURE_TEST_CASE(a_killed_run_can_be_read_without_repairing_it, DatabaseFolder) {
  ChildProcess child([&](const ChildProcess::Say& say) {
    Store store(path, Store::Mode::read_write);
    store.add_point(store.begin_run({}), 0, example_point(1));
    say(".");
    for (std::int64_t i = 1;; ++i) store.add_point(1, i, failed_point(1));
    return std::string();
  });
  BOOST_TEST(child.read(1) == ".");
  child.kill();
  child.read_all();
  BOOST_TEST((Store(path, Store::Mode::read_only).points(1).at(0).point == example_point(1)));
}

BOOST_FIXTURE_TEST_CASE(processes_create_and_fill_one_store_at_the_same_time, DatabaseFolder) {
  constexpr std::size_t processes = 6;
  constexpr std::int64_t points = 20;
  std::vector<std::unique_ptr<ChildProcess>> children;
  for (std::size_t i = 0; i < processes; ++i) {
    children.push_back(std::make_unique<ChildProcess>([&](const ChildProcess::Say&) {
      Store store(path, Store::Mode::read_write);
      const std::int64_t run = store.begin_run(example_provenance());
      for (std::int64_t stride = 0; stride < points; ++stride) {
        if (!store.reuse_point(run, stride, example_key(stride))) {
          store.add_point(run, stride, example_point(stride));
        }
      }
      store.end_run(run, RunState::finished);
      return std::string("done");
    }));
  }
  for (const auto& child : children) BOOST_TEST(child->read_all() == "done");

  const Store store(path, Store::Mode::read_only);
  const auto runs = store.runs();
  BOOST_TEST(runs.size() == processes);
  for (const RunRecord& run : runs) {
    BOOST_TEST((run.state == RunState::finished));
    BOOST_TEST(store.points(run.id).size() == static_cast<std::size_t>(points));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing

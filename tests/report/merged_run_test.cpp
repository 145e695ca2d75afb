#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "engine/store/record.h"
#include "report/findings.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace merged_run {
namespace {

MergedPart part(std::uint64_t shard, std::uint64_t shards, RunState state = RunState::finished) {
  return {.run = static_cast<std::int64_t>(shard),
          .file = "a." + std::to_string(shard) + ".db",
          .shard = shard,
          .shards = shards,
          .host = shard % 2 == 0 ? "even" : "odd",
          .device = "GPU " + std::to_string(shard),
          .started = "2025-01-31T12:00:00Z",
          .state = state,
          .points = 10};
}

RunRecord merged(std::vector<MergedPart> parts, RunState state = RunState::interrupted) {
  RunRecord run;
  run.state = state;
  run.parts = std::move(parts);
  run.provenance.share.configurations = 100;
  return run;
}

struct Missing {
  std::vector<MergedPart> parts;
  std::vector<std::string> says;
};

std::ostream& operator<<(std::ostream& stream, const Missing& each) {
  return stream << each.says.front();
}

const Missing missing[] = {
    {{part(1, 3), part(2, 3)},
     {"50 of the sweep's 100 configurations are here: shard 3 of 3 is not among them"}},
    {{part(1, 8), part(2, 8), part(4, 8), part(6, 8), part(7, 8), part(8, 8)},
     {"50 of the sweep's 100 configurations are here: shards 3 and 5 of 8 are not among them"}},
    {{part(1, 2), part(2, 2, RunState::interrupted)},
     {"50 of the sweep's 100 configurations are here",
      "shard 2 of 2 (a.2.db) did not finish; the same command again measures the rest"}},
    // Two divisions, whose shards overlap.
    {{part(1, 2), part(4, 4)}, {"50 of the sweep's 100 configurations are here"}},
    {{part(1, 1, RunState::running)},
     {"50 of the sweep's 100 configurations are here",
      "run 1 (a.1.db) did not finish; the same command again measures the rest"}},
};

}  // namespace
}  // namespace merged_run

BOOST_AUTO_TEST_SUITE(merged_run)

BOOST_DATA_TEST_CASE(what_a_merged_run_lacks_is_named, data::make(missing)) {
  BOOST_TEST(describe_missing_parts(merged(sample.parts), 50) == sample.says,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_many_missing_shards_the_first_are_named) {
  const auto says = describe_missing_parts(merged({part(1, 1000)}), 1);
  BOOST_REQUIRE(says.size() == 1);
  BOOST_TEST(says[0] ==
             "1 of the sweep's 100 configurations are here: shards 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "
             "12, 13, 14, 15, 16, 17, 18, 19, 20, 21 and 979 more of 1,000 are not among them");
}

BOOST_AUTO_TEST_CASE(a_whole_run_lacks_nothing) {
  BOOST_TEST(
      describe_missing_parts(merged({part(1, 2), part(2, 2)}, RunState::finished), 100).empty());
  BOOST_TEST(describe_missing_parts(merged({}, RunState::interrupted), 100).empty());
}

BOOST_AUTO_TEST_CASE(of_a_search_groups_are_counted) {
  RunRecord run = merged({part(1, 2)});
  run.provenance.share.groups = 8;
  run.tuning = TuningRecord{};
  run.tuning->groups.resize(3);
  const auto says = describe_missing_parts(run, 50);
  BOOST_REQUIRE(says.size() == 1);
  BOOST_TEST(says[0] == "3 of the sweep's 8 groups are here: shard 2 of 2 is not among them");
}

BOOST_AUTO_TEST_CASE(the_parts_stand_in_a_table) {
  const RunRecord run = merged({part(1, 2), part(2, 2)});
  BOOST_TEST(describe_parts(run) == "merged from 2 runs, of 2 hosts and 2 devices");
  const DocumentTable table = parts_table(run);
  BOOST_REQUIRE(table.rows.size() == 2);
  BOOST_TEST(
      table.rows[1] == (std::vector<std::string>{"shard 2 of 2", "a.2.db", "2", "10", "GPU 2",
                                                 "even", "2025-01-31 12:00:00 UTC", "finished"}),
      boost::test_tools::per_element());
  BOOST_TEST(describe_parts(RunRecord{}).empty());
  BOOST_TEST(parts_table(RunRecord{}).rows.empty());
}

BOOST_AUTO_TEST_CASE(a_shard_says_which_it_is) {
  RunRecord run;
  BOOST_TEST(describe_shard(run, 12).empty());
  run.provenance.share = {.shard = 2, .shards = 8, .configurations = 100};
  BOOST_TEST(describe_shard(run, 12) == "shard 2 of 8: 12 of the sweep's 100 configurations");
  run.provenance.share.groups = 4;
  BOOST_TEST(describe_shard(run, 12) == "shard 2 of 8: 0 of the sweep's 4 groups");
}

BOOST_AUTO_TEST_SUITE_END()

#include <boost/test/unit_test.hpp>

#include "tests/contains.h"
#include "tests/store/child_process.h"
#include "tests/store/shard_databases.h"

namespace sweep::testing {
namespace {
namespace merging {

namespace fs = std::filesystem;

}  // namespace merging

BOOST_FIXTURE_TEST_SUITE(merging, ShardDatabases)

BOOST_AUTO_TEST_CASE(shards_make_the_whole_run_in_its_order) {
  BOOST_TEST(merge(write_shards()).empty());
  check_whole();
  BOOST_TEST(!fs::exists(output.string() + ".merging"));
  BOOST_TEST(!fs::exists(output.string() + ".lock"));
}

BOOST_AUTO_TEST_CASE(each_point_keeps_where_it_comes_from) {
  merge(write_shards());
  const Store store(output, Store::Mode::read_only);
  const auto runs = store.runs();
  BOOST_REQUIRE(runs.size() == 4);
  const RunRecord& merged = runs.back();
  BOOST_TEST(merged.provenance.command == "sweep merge");
  BOOST_TEST(merged.provenance.device.name == "NVIDIA H200");
  BOOST_TEST(merged.provenance.device.uuid == "");
  BOOST_TEST(!merged.provenance.share.is_part());
  BOOST_REQUIRE(merged.parts.size() == 3);
  BOOST_TEST(merged.parts[1].file == "s.2-of-3.db");
  BOOST_TEST(merged.parts[1].shard == 2);
  BOOST_TEST(merged.parts[1].shards == 3);
  BOOST_TEST(merged.parts[1].host == "node-2");
  BOOST_TEST(merged.parts[1].device == "NVIDIA H200 GPU-2");
  BOOST_TEST(merged.parts[1].points == 4);
  for (const StoredPoint& point : store.points(merged.id)) {
    const auto run = std::ranges::find(runs, point.measured_by, &RunRecord::id);
    BOOST_REQUIRE((run != runs.end()));
    BOOST_TEST(run->provenance.host == "node-" + std::to_string(point.ordinal % 3 + 1));
  }
  // A note that not all have says whose it is.
  BOOST_TEST(merged.notes.size() == 4);
  BOOST_TEST(std::ranges::count(merged.notes, "s.2-of-3.db: note of s.2-of-3.db") == 1);
}

BOOST_AUTO_TEST_CASE(a_later_run_reuses_the_points) {
  merge(write_shards());
  Store store(output, Store::Mode::read_write);
  const std::int64_t run = store.begin_run(provenance_of(1, 1));
  BOOST_TEST(store.reuse_point(run, 7, point_at(7).key).has_value());
  store.add_point(run, 12, point_at(12));
  BOOST_TEST(store.points(run).size() == 2);
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_merged_later) {
  merge({write_shard(3)});
  BOOST_TEST((merged_run().state == RunState::interrupted));
  merge({write_shard(1)});
  BOOST_TEST(merged_run().parts.size() == 2);
  merge({write_shard(2)});
  check_whole();
  BOOST_TEST(count_rows("run") == 4);
}

BOOST_AUTO_TEST_CASE(a_shard_that_was_killed_before_its_first_run_does_not_stop_the_others) {
  const fs::path empty = path("s.2-of-3.db");
  Store(empty, Store::Mode::read_write);
  const std::vector<std::string> notes = merge({write_shard(1), empty});
  BOOST_REQUIRE(notes.size() == 1);
  BOOST_TEST(notes[0] == empty.string() + " holds no run: nothing of it is merged");
  BOOST_TEST(merged_run().parts.size() == 1);
  BOOST_TEST((merged_run().state == RunState::interrupted));
  BOOST_TEST(refusal({empty}) == "merged");  // what was merged before is there
  fs::remove(output);
  BOOST_TEST(refusal({empty}) == "none of these databases holds a run");
  BOOST_TEST(!fs::exists(output));
}

BOOST_AUTO_TEST_CASE(merged_databases_can_be_merged) {
  merge({write_shard(1), write_shard(2)});
  fs::rename(output, path("first.db"));
  merge({write_shard(3), path("first.db")});
  check_whole();
  const auto parts = merged_run().parts;
  BOOST_REQUIRE(parts.size() == 3);
  BOOST_TEST(parts[0].file == "s.1-of-3.db");
  merge({output});
  check_whole();
}

BOOST_AUTO_TEST_CASE(the_same_again_changes_nothing) {
  const auto shards = write_shards();
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(merge(shards).empty());
    check_whole();
    BOOST_TEST(count_rows("run") == 4);
    BOOST_TEST(count_rows("note") == all_configurations);
  }
}

BOOST_AUTO_TEST_CASE(what_is_given_twice_is_taken_once) {
  const auto shards = write_shards();
  fs::copy_file(shards[0], path("copy.db"));
  const auto notes = merge({shards[0], shards[1], shards[2], shards[0], path("copy.db")});
  BOOST_REQUIRE(notes.size() == 2);
  BOOST_TEST(notes[0] == shards[0].string() + " is named twice and taken once");
  BOOST_TEST(notes[1] == path("copy.db").string() + " holds the same run as " + shards[0].string() +
                             ", which is taken once");
  check_whole();
  BOOST_TEST(count_rows("run") == 4);
}

BOOST_AUTO_TEST_CASE(a_shard_that_went_on_replaces_what_was_merged_of_it) {
  const std::vector<PointRecord> first = {point_at(0), point_at(3)};
  write("s.1-of-3.db", provenance_of(1, 3), first, {0, 3}, RunState::interrupted);
  fs::copy_file(path("s.1-of-3.db"), path("early.db"));
  merge({path("s.1-of-3.db"), write_shard(2), write_shard(3)});
  BOOST_TEST(merged_points().size() == 10);
  {
    Store store(path("s.1-of-3.db"), Store::Mode::read_write);
    const std::int64_t run = store.begin_run(provenance_of(1, 3));
    for (const std::int64_t place : {0, 3}) store.reuse_point(run, place, point_at(place).key);
    for (const std::int64_t place : {6, 9}) store.add_point(run, place, point_at(place));
    store.end_run(run, RunState::finished);
  }
  BOOST_TEST(merge({path("s.1-of-3.db")}).empty());
  check_whole();
  BOOST_TEST(merged_run().parts.size() == 3);
  BOOST_TEST(count_rows("run") == 5);
  // An old copy takes nothing back.
  merge({path("early.db")});
  check_whole();
  BOOST_TEST(merged_run().parts.size() == 3);
}

BOOST_AUTO_TEST_CASE(a_run_that_went_on_after_it_was_copied_is_taken_from_where_it_went_furthest) {
  std::int64_t run = 0;
  {
    Store store(path("s.1-of-3.db"), Store::Mode::read_write);
    run = store.begin_run(provenance_of(1, 3));
    store.add_point(run, 3, point_at(3));
  }
  fs::copy_file(path("s.1-of-3.db"), path("early.db"));
  {
    Store store(path("s.1-of-3.db"), Store::Mode::read_write);
    store.add_point(run, 0, point_at(0));
    store.add_point(run, 9, point_at(9));
    store.end_run(run, RunState::interrupted);
    // The points that it reuses stand in both copies.
    const std::int64_t next = store.begin_run(provenance_of(1, 3));
    for (const std::int64_t place : {0, 3, 9}) store.reuse_point(next, place, point_at(place).key);
    store.add_point(next, 6, point_at(6));
    store.end_run(next, RunState::finished);
  }
  merge({path("early.db"), write_shard(2), write_shard(3)});
  BOOST_TEST(merged_points().size() == 9);
  merge({path("early.db"), path("s.1-of-3.db")});
  check_whole();
  BOOST_TEST(count_rows("run") == 5);
}

BOOST_AUTO_TEST_CASE(of_a_configuration_measured_twice_the_newest_that_succeeded_is_taken) {
  merge(write_shards());
  // Another GPU measured some of them again.
  PointRecord failed = failed_point(5);
  const auto notes = merge({write("again.db", provenance_of(1, 2),
                                  {point_at(2, 5000), failed, point_at(9, 5000)}, {2, 5, 9})});
  BOOST_REQUIRE(notes.size() == 1);
  BOOST_TEST(notes[0] ==
             "3 configurations were measured by several of the merged runs: the newest point that "
             "did not fail is taken");
  const auto points = merged_points();
  BOOST_REQUIRE(points.size() == all_configurations);
  BOOST_TEST((points[5].point == point_at(5)));
  // Both runs began within a second or not: one of both is taken, and no other.
  BOOST_TEST((points[2].point == point_at(2, 5000) || points[2].point == point_at(2)));
  BOOST_TEST((merged_run().state == RunState::finished));
  BOOST_TEST(count_rows("point") == all_configurations + 3);
}

BOOST_AUTO_TEST_CASE(metrics_and_patterns_of_several_databases_are_kept_apart) {
  PointRecord other = point_at(1);
  other.metrics = {{"time", Origin::measured, 5}, {"bandwidth", Origin::measured, 7}};
  PointRecord bare = point_at(2);
  bare.metrics.clear();
  PointRecord tile = point_at(3);
  tile.key.pattern_name = "tile";
  write("a.db", provenance_of(1, 2), {point_at(0), bare}, {0, 2});
  write("b.db", provenance_of(2, 2), {tile, other}, {3, 1});
  merge({path("a.db"), path("b.db")});
  const auto points = merged_points();
  BOOST_REQUIRE(points.size() == 4);
  BOOST_TEST((points[0].point == point_at(0)));
  BOOST_TEST((points[1].point == other));
  BOOST_TEST((points[2].point == bare));
  BOOST_TEST((points[3].point == tile));
  BOOST_TEST(count_rows("pattern") == 2);
}

BOOST_AUTO_TEST_CASE(a_searchs_groups_stand_in_their_order) {
  const auto write_search = [&](std::uint64_t shard, const std::vector<std::int64_t>& groups) {
    Provenance provenance = provenance_of(shard, 2);
    provenance.share.groups = 4;
    Store store(path(std::to_string(shard) + ".db"), Store::Mode::read_write);
    const std::int64_t run = store.begin_run(provenance);
    TuningRecord tuning = example_tuning();
    tuning.groups.clear();
    for (const std::int64_t place : groups) {
      store.add_point(run, 3 * place, point_at(3 * place));
      TunedGroup& group = tuning.groups.emplace_back(example_tuning().groups[0]);
      group.place = place;
      group.group.set("T", place);
      group.winner = 3 * place;
    }
    store.set_tuning(run, tuning);
    store.set_comparisons(run, {{.ordinal = 3 * groups.front(), .rounds = 5}});
    store.end_run(run, RunState::finished);
    return path(std::to_string(shard) + ".db");
  };
  merge({write_search(1, {1, 2})});
  BOOST_TEST((merged_run().state == RunState::interrupted));
  merge({write_search(2, {0, 3})});
  const RunRecord run = merged_run();
  BOOST_TEST((run.state == RunState::finished));
  BOOST_REQUIRE(run.tuning.has_value());
  std::vector<std::int64_t> winners;
  for (const TunedGroup& group : run.tuning->groups) winners.push_back(group.winner.value_or(-1));
  BOOST_TEST(winners == (std::vector<std::int64_t>{0, 3, 6, 9}), boost::test_tools::per_element());
  BOOST_TEST(run.comparisons.size() == 2);
}

BOOST_AUTO_TEST_CASE(the_explanation_of_the_best_is_the_merged_runs) {
  for (const std::int64_t place : {0, 1}) {
    const std::string name = std::to_string(place) + ".db";
    write(name, provenance_of(static_cast<std::uint64_t>(place) + 1, 2),
          {point_at(place, place == 0 ? 9000 : 1000)}, {place});
    Store(path(name), Store::Mode::read_write)
        .add_explanation(1, {"stride", place, point_at(place).key.parameters, "{}"}, "me");
  }
  merge({path("0.db"), path("1.db")});
  const RunRecord run = merged_run();
  BOOST_REQUIRE(run.explanations.size() == 1);
  BOOST_TEST(run.explanations[0].ordinal == 0);
  BOOST_TEST(count_rows("explanation") == 2);
}

BOOST_AUTO_TEST_CASE(what_another_process_reads_from_a_log_is_not_lost) {
  // The merged database has a write-ahead log, as after a run that was killed.
  merge({write_shard(1)});
  ChildProcess child([&](const ChildProcess::Say& say) {
    Store store(output, Store::Mode::read_write);
    const std::int64_t run = store.begin_run(provenance_of(1, 1));
    for (std::int64_t place = 0; place < 12; ++place) store.add_point(run, place, point_at(place));
    store.end_run(run, RunState::finished);
    say(".");
    pause();
    return std::string();
  });
  BOOST_TEST(child.read(1) == ".");
  child.kill();
  child.read_all();
  BOOST_TEST(fs::exists(output.string() + "-wal"));
  merge({write_shard(2)});
  const auto points = merged_points();
  BOOST_TEST(points.size() == 12);
  BOOST_TEST(!fs::exists(output.string() + "-wal"));
}

BOOST_AUTO_TEST_CASE(a_database_of_an_early_version_is_read_and_written_but_not_merged) {
  const fs::path early = write_shard(1);
  sqlite::Database(early, sqlite::Access::write)
      .execute("DROP TABLE run_share; DROP TABLE merged_part; DROP TABLE run_device");
  BOOST_TEST(Store(early, Store::Mode::read_only).runs().size() == 1);
  BOOST_TEST(contains(refusal({early}), "'sweep run' again measures only what is missing"));
  {
    Store store(early, Store::Mode::read_write);
    const std::int64_t run = store.begin_run(provenance_of(1, 3));
    for (const std::int64_t place : {0, 3, 6, 9}) {
      BOOST_TEST(store.reuse_point(run, place, point_at(place).key).has_value());
    }
    store.end_run(run, RunState::finished);
  }
  const auto others = {write_shard(2), write_shard(3)};
  for (int i = 0; i < 2; ++i) {
    std::vector<fs::path> sources = {early};
    sources.insert(sources.end(), others.begin(), others.end());
    merge(sources);
    check_whole();
    BOOST_TEST(count_rows("run") == 5);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing

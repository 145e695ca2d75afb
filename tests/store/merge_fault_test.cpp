#include <signal.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <functional>
#include <ostream>
#include <random>
#include <thread>

#include "tests/contains.h"
#include "tests/process_limit.h"
#include "tests/store/child_process.h"
#include "tests/store/shard_databases.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace merge_fault {

namespace fs = std::filesystem;

struct Stranger {
  std::string says;
  std::function<void(Provenance&)> change;
};

std::ostream& operator<<(std::ostream& stream, const Stranger& each) {
  return stream << each.says;
}

const Stranger strangers[] = {
    {"its sweep is other, and there it is stride", [](auto& of) { of.sweep_name = "other"; }},
    {"the sweep's text is another", [](auto& of) { of.sweep_text += "# more"; }},
    {"the text of the pattern stride is another",
     [](auto& of) { of.share.patterns["stride"] = "another"; }},
    {"its backend is emulator, and there it is cuda",
     [](auto& of) { of.device.backend = "emulator"; }},
    {"its device is NVIDIA H100, and there it is NVIDIA H200",
     [](auto& of) { of.device.name = "NVIDIA H100"; }},
    {"its number of multiprocessors is 66, and there it is 132",
     [](auto& of) { of.device.multiprocessors = 66; }},
    {"its driver is 570.1, and there it is 580.159.04",
     [](auto& of) { of.device.driver = "570.1"; }},
    {"its CUDA version is not known, and there it is 13.0", [](auto& of) { of.device.cuda = ""; }},
    {"its version of sweep is 0.2.0, and there it is 0.1.0",
     [](auto& of) { of.engine_version = "0.2.0"; }},
    {"its compiler is NVRTC 12.4, and there it is NVRTC 13.0",
     [](auto& of) { of.compiler = "NVRTC 12.4"; }},
    {"its way of measuring is cache warm, and there it is cache cold",
     [](auto& of) { of.measure = "cache warm"; }},
    {"they are about other configurations (12 and 12), by the commands\n  sweep run x\n",
     [](auto& of) {
       of.share.space = "another";
       of.command = "sweep run x";
     }},
    {"its kind of run is 3 groups to search, and there it is every configuration measured",
     [](auto& of) { of.share.groups = 3; }},
    {"does not say which configurations it is about", [](auto& of) { of.share = {}; }},
};

}  // namespace merge_fault

BOOST_FIXTURE_TEST_SUITE(merge_fault, ShardDatabases)

BOOST_DATA_TEST_CASE(what_does_not_belong_together_is_refused_with_the_reason,
                     data::make(strangers)) {
  merge({write_shard(1)});
  Provenance provenance = provenance_of(2, 3);
  sample.change(provenance);
  const fs::path stranger = write("stranger.db", provenance, {point_at(1)}, {1});
  const std::string says = refusal({write_shard(3), stranger});
  BOOST_TEST(contains(says, stranger.string() + " does not "), says);
  BOOST_TEST(contains(says, sample.says), says);
  BOOST_TEST(merged_points().size() == 4);
  BOOST_TEST(!fs::exists(output.string() + ".merging"));
}

BOOST_AUTO_TEST_CASE(a_damaged_database_is_named_and_leaves_all_as_it_was) {
  merge({write_shard(1)});
  const std::string before = [&] {
    std::ifstream file(output, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  const fs::path whole = write_shard(2);
  const auto size = fs::file_size(whole);
  for (const std::uintmax_t kept :
       {std::uintmax_t{0}, std::uintmax_t{50}, size / 4, size / 2, size - 4096}) {
    const fs::path cut = path("cut.db");
    fs::copy_file(whole, cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, kept);
    const std::string says = refusal({cut, write_shard(3)});
    BOOST_TEST(contains(says, "the file '" + cut.string() + "' is "), says);
    std::ifstream file(output, std::ios::binary);
    BOOST_TEST((std::string(std::istreambuf_iterator<char>(file), {}) == before));
    BOOST_TEST(!fs::exists(output.string() + ".merging"));
    fs::remove(path("s.3-of-3.db"));
  }
}

BOOST_AUTO_TEST_CASE(points_of_no_run_or_pattern_are_damage) {
  const fs::path whole = write_shard(2);
  for (const std::string change :
       {"UPDATE point SET pattern_id = 77", "UPDATE point SET metric_list = 77",
        "UPDATE point SET run_id = 77", "DELETE FROM point WHERE id = 2"}) {
    const fs::path broken = path("broken.db");
    fs::copy_file(whole, broken, fs::copy_options::overwrite_existing);
    sqlite::Database(broken, sqlite::Access::write).execute("PRAGMA foreign_keys = OFF; " + change);
    const std::string says = refusal({broken});
    BOOST_TEST(contains(says, "the file '" + broken.string() + "' is damaged"), change + says);
    BOOST_TEST(!fs::exists(output));
  }
}

BOOST_AUTO_TEST_CASE(what_a_killed_merging_left_behind_is_replaced) {
  std::ofstream(output.string() + ".merging") << "half a file";
  std::ofstream(output.string() + ".lock") << "123\nhost\nsweep merge\n";
  merge(write_shards());
  check_whole();
  BOOST_TEST(!fs::exists(output.string() + ".merging"));
}

BOOST_AUTO_TEST_CASE(killed_at_any_moment_a_merging_begins_anew) {
  const auto shards = write_shards();
  std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<double> moment(0, 30);
  for (int kills = 0; kills < 40; ++kills) {
    merge({shards[0]});
    {
      ChildProcess child([&](const ChildProcess::Say&) {
        merge(shards);
        return std::string();
      });
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(moment(random)));
      child.kill();
    }
    // What was there, or all of it.
    const std::size_t points = merged_points().size();
    BOOST_TEST((points == 4 || points == all_configurations), points);
    merge(shards);
    check_whole();
    fs::remove(output);
  }
}

BOOST_AUTO_TEST_CASE(a_disk_without_room_leaves_all_as_it_was) {
  const auto shards = write_shards();
  merge({shards[0]});
  ChildProcess child([&](const ChildProcess::Say&) {
    signal(SIGXFSZ, SIG_IGN);
    limit_process(RLIMIT_FSIZE, 50'000);
    return refusal(shards);
  });
  BOOST_TEST(contains(child.read_all(), "all.db.merging' cannot be written: it has reached"));
  BOOST_TEST(!fs::exists(output.string() + ".merging"));
  BOOST_TEST(merged_points().size() == 4);
  merge(shards);
  check_whole();
}

BOOST_AUTO_TEST_CASE(a_merging_that_is_stopped_leaves_all_as_it_was) {
  merge({write_shard(1)});
  stop = true;
  BOOST_CHECK_THROW(merge(write_shards()), MergeStopped);
  BOOST_TEST(merged_points().size() == 4);
  BOOST_TEST(!fs::exists(output.string() + ".merging"));
}

BOOST_AUTO_TEST_CASE(a_database_that_a_run_writes_is_not_replaced) {
  merge({write_shard(1)});
  const RunLock lock(output);
  BOOST_TEST(contains(refusal({write_shard(2)}), "all.db' is in use by another run"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing

#include <boost/test/unit_test.hpp>
#include <set>

#include "engine/store/store.h"
#include "tests/cli/gpu_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace several_gpus {
namespace {

struct Fixture {
  Fixture() {
    folder.write("adds.yaml",
                 "pattern: vector_add\n"
                 "axes: {BYTES: 16 Mi, BLOCK: {from: 32, to: 1024, step: 32}}\n");
  }

  Outcome run(const std::string& device) const {
    return run_program({"run", "adds.yaml", "--device", device, "-q"}, folder.path());
  }
  RunRecord newest() const { return store().runs().back(); }
  std::vector<StoredPoint> points() const { return store().points(newest().id); }
  Store store() const {
    return Store(folder.path() / "results" / "adds.db", Store::Mode::read_only);
  }

  TemporaryFolder folder;
};

}  // namespace
}  // namespace several_gpus

BOOST_FIXTURE_TEST_SUITE(several_gpus, several_gpus::Fixture,
                         *boost::unit_test::precondition(has_gpu))

BOOST_AUTO_TEST_CASE(all_gpus_share_the_points) {
  const Outcome shared = run("all");
  BOOST_TEST(shared.code == 0, shared.err);
  BOOST_TEST(points().size() == 32U);
  std::set<std::string> devices;
  for (const StoredPoint& stored : points()) devices.insert(stored.point.key.device);
  const RunRecord record = newest();
  const std::size_t gpus = record.devices.empty() ? 1 : record.devices.size();
  // One may be done before another has started.
  BOOST_TEST(devices.size() <= gpus);
  for (const DeviceRecord& device : record.devices) {
    BOOST_TEST(device.to_first.ratio > 0.8);
    BOOST_TEST(device.to_first.ratio < 1.25);
    BOOST_TEST(device.to_alone.ratio > 0.8);
  }
  BOOST_TEST(run("all").code == 0);
  for (const StoredPoint& stored : points()) BOOST_TEST(stored.measured_by == record.id);
}

BOOST_AUTO_TEST_CASE(one_that_is_not_there_is_an_error) {
  const Outcome failed = run("0,99");
  BOOST_TEST(failed.code == 69);
  BOOST_TEST(contains(failed.err, "there is no GPU 99"));
}

BOOST_AUTO_TEST_SUITE_END()

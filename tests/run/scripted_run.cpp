#include "tests/run/scripted_run.h"

#include <algorithm>
#include <cstring>
#include <ostream>
#include <stdexcept>

#include "engine/jit/program_cache.h"
#include "engine/run/run_stage.h"
#include "tests/nvrtc_fixture.h"
#include "tests/pattern_from_text.h"
#include "tests/run/compiler_words.h"

namespace sweep {
namespace {

// The arguments tell the device which configuration it executes.
const char* const tuned_pattern = R"cuda(/* pattern:
parameters: {K: 1, G: 0}
buffers: {data: {type: int, length: 64, init: "0"}}
arguments: {k: {value: K}, g: {value: G}}
launch: {grid: 1, block: 64}
useful: {read: 1000000}
verify: "data[i] >= 0"
*/
static_assert(K != 13, "unlucky");
__global__ void tuned(int* data, int k, int g) { data[threadIdx.x] = K; }
)cuda";

PatternPtr tuned() {
  static const PatternPtr pattern = pattern_from_text("tuned", tuned_pattern);
  return pattern;
}

Sweep sweep_of(const std::string& text) {
  const auto lookup = [](const std::string&, const Location&, Diagnostics&) { return tuned(); };
  const auto source = std::make_shared<Source>(Source{"scripted.yaml", text});
  return parse_sweep(source, "scripted.yaml", lookup, {});
}

/// What one test compiled serves the next.
ProgramCache& shared_cache() {
  static const TemporaryFolder folder;
  static ProgramCache cache(CacheSettings{folder.path() / "cache"});
  return cache;
}

std::int64_t integer_of(const std::vector<std::byte>& bytes) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::int64_t integer_of(const Bindings& parameters, const char* name) {
  return std::get<std::int64_t>(*parameters.find(name));
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Tried& tried) {
  return out << "K=" << tried.k << " G=" << tried.g;
}

Tried tried_of(const Workload& workload) {
  return {integer_of(workload.scalars.at(0)), integer_of(workload.scalars.at(1))};
}

Tried tried_of(const Configuration& configuration) {
  return {integer_of(configuration.parameters, "K"), integer_of(configuration.parameters, "G")};
}

Tried tried_of(const PointRecord& point) {
  return {integer_of(point.key.parameters, "K"), integer_of(point.key.parameters, "G")};
}

ScriptedRun::ScriptedRun() {
  seconds_of = [](Tried) { return 100e-6; };
  backend.device_.compute_capability = newer_than_any;
}

void ScriptedRun::begin() {
  order.clear();
  stages.clear();
  prepared_.clear();
  reused = 0;
  backend.on_prepare = [this](const Workload& workload) {
    const Tried tried = tried_of(workload);
    prepared_.push_back(tried);
    now += preparing;
    if (on_execute) on_execute(tried);
    if (!backend.can_time_ && counts_of) backend.observation_ = {counts_of(tried), {}};
  };
  backend.on_sample = [this](CacheState) {
    const double seconds = seconds_of(prepared_.back());
    now += seconds;
    return seconds;
  };
}

RunRequest ScriptedRun::request(const Sweep& sweep, const Space& space) {
  RunRequest request = {sweep, space, Provenance{}, {}, false, {}, {}};
  request.provenance.seed = seed;
  request.compile.nvrtc = nvrtc();
  request.compile.compute_capability = newer_than_any;
  request.compile.processes = nvrtc_processes();
  request.compile.compilers = 2;
  request.compile.cache = &shared_cache();
  request.clock = [this] { return now; };
  request.predicted_gpu = predicted_gpu;
  if (backend.can_time_ && counts_of) {
    request.emulate.make_backend = [counts = counts_of](const std::atomic<bool>&) {
      auto counter = std::make_unique<FakeBackend>();
      counter->can_time_ = false;
      FakeBackend& counting = *counter;
      counter->on_prepare = [counts, &counting](const Workload& workload) {
        counting.observation_ = {counts(tried_of(workload)), {}};
      };
      return counter;
    };
  }
  return request;
}

RunSummary ScriptedRun::run(const std::string& text, bool fresh) {
  const Sweep sweep = sweep_of(text);
  Space space = enumerate(sweep);
  std::vector<TuningGroup> groups;
  if (sweep.tune) groups = tuning_groups(sweep, space);
  begin();
  RunRequest asked = request(sweep, space);
  asked.fresh = fresh;
  asked.groups = std::move(groups);
  Store store(folder_.path() / "test.db", Store::Mode::read_write);
  LocalMeasurer local(backend);
  asked.further = further;
  return run_sweep(asked, measurer != nullptr ? *measurer : local, store, *this, stop);
}

RunRecord ScriptedRun::record(std::int64_t run) const {
  for (RunRecord& found : Store(folder_.path() / "test.db", Store::Mode::read_only).runs()) {
    if (found.id == run) return std::move(found);
  }
  throw std::out_of_range("no such run");
}

TunedGroup ScriptedRun::found(const RunSummary& summary, std::size_t group) const {
  return record(summary.run).tuning.value().groups.at(group);
}

std::optional<Tried> ScriptedRun::winner(const RunSummary& summary, std::size_t group) const {
  const auto place = found(summary, group).winner;
  if (!place) return std::nullopt;
  for (const StoredPoint& stored : points(summary.run)) {
    if (stored.ordinal == *place) return tried_of(stored.point);
  }
  throw std::out_of_range("the winner has no point");
}

std::vector<StoredPoint> ScriptedRun::points(std::int64_t run) const {
  return Store(folder_.path() / "test.db", Store::Mode::read_only).points(run);
}

std::optional<StoredPoint> ScriptedRun::point(std::int64_t run, Tried tried) const {
  for (StoredPoint& stored : points(run)) {
    if (tried_of(stored.point) == tried) return std::move(stored);
  }
  return std::nullopt;
}

std::vector<Tried> ScriptedRun::tried(std::int64_t run) const {
  std::vector<Tried> all;
  for (const StoredPoint& stored : points(run)) all.push_back(tried_of(stored.point));
  return all;
}

std::size_t ScriptedRun::times_prepared(Tried tried) const {
  return static_cast<std::size_t>(std::ranges::count(prepared_, tried));
}

void ScriptedRun::on_start(std::size_t points, std::size_t) {
  planned = points;
}

void ScriptedRun::on_point(const Configuration& configuration, const PointRecord&) {
  order.push_back(tried_of(configuration));
  if (on_each) on_each(order.back());
}

void ScriptedRun::on_stage(const std::string& stage) {
  stages.push_back(stage);
  if (on_each_stage) on_each_stage(stage);
}

ScriptedStage::ScriptedStage(ScriptedRun& script, const std::string& text)
    : sweep(sweep_of(text)),
      space(enumerate(sweep)),
      store(script.folder_.path() / "test.db", Store::Mode::read_write),
      measurer_(script.backend),
      request(script.request(sweep, space)),
      stage{request, request.compile, &measurer_, store, script, script.stop} {
  script.begin();
  stage.summary.run = store.begin_run(request.provenance);
}

PointRecord ScriptedStage::add_point(std::size_t point_index) {
  DriftReference drift(stage);
  PointSource source(stage, false);
  source.add({point_index});
  PointRecord point = PointMeasurement(stage, source, drift, {}).next()->record;
  stage.record(point_index, point);
  return point;
}

}  // namespace sweep

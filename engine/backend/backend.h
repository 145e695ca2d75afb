#pragma once

#include <algorithm>

#include "engine/backend/argument_objects.h"
#include "engine/spec/data_file.h"
#include "engine/spec/metric.h"
#include "engine/spec/place.h"
#include "engine/spec/sweep.h"

namespace sweep {

/// A GPU whose memory another one reaches.
struct Peer {
  int index = 0;    ///< its number on the machine
  double link = 0;  ///< the link's theoretical peak in one direction, in B/s; 0: not known

  friend bool operator==(const Peer&, const Peer&) = default;
};

/// What buffers may lie in besides a GPU's own memory.
struct Reach {
  std::vector<Peer> peers = {};     ///< those after it in the machine's order first
  double host_link = 0;             ///< as Peer::link
  bool has_managed_memory = false;  ///< whose pages move while a kernel runs
  bool compresses = false;

  friend bool operator==(const Reach&, const Reach&) = default;
};

/// What a backend runs on. Figures it does not have are 0.
struct Device {
  std::string backend;  ///< "cuda" or "emulator"
  int index = 0;        ///< its number on the machine; the store does not keep it
  std::string name;
  std::string uuid;
  int compute_capability = 0;  ///< major * 10 + minor
  int multiprocessors = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_clock_hz = 0;
  int memory_bus_bits = 0;
  std::string driver;  ///< the driver's version, "580.159.04"; empty without one
  std::string cuda;    ///< the CUDA version it supports, "13.0"
  Reach reach = {};    ///< the store does not keep it

  /// Executed by the engine itself: it counts and has no times.
  bool is_emulated() const { return backend == "emulator"; }
  /// Theoretical: two transfers per memory clock over the bus's width, in B/s.
  double peak_bandwidth() const {
    return 2.0 * static_cast<double>(memory_clock_hz) * memory_bus_bits / 8;
  }

  friend bool operator==(const Device&, const Device&) = default;
};

/// How the names of what holds constants in a generated program begin: namespaces of parameters,
/// and pointers to what the header names; a number follows. The compiler keeps constants as
/// variables, which nothing writes to.
constexpr std::string_view constants_namespace = "sweep_k";

/// What one NVRTC program gave; shared by the configurations in it.
struct Program {
  std::vector<char> cubin;  ///< empty when the compiler does not know the device's architecture
  std::string ptx;
};

struct Extent3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// A buffer to allocate and, when it has an entry point for that, to initialise.
struct BufferPlan {
  std::string name;
  std::uint64_t length = 0;  ///< elements
  std::uint64_t bytes = 0;
  std::string init_entry;  ///< empty, and no file: every byte is set to 0xff
  bool is_const = false;   ///< the kernel takes it as a pointer to const
  FileBytes file = {};     ///< its first values, in the place of `init_entry`
  Place place = Place::device;
  std::int64_t peer = 1;  ///< which of Reach::peers, from 1 on, where the place is a peer's
};

/// A variable of the program's, filled before the first launch.
struct ConstantPlan {
  std::string symbol;      ///< its name in the program
  std::string fill_entry;  ///< writes its elements elsewhere, from where they are copied
};

/// A check to run after the first launch.
struct VerificationPlan {
  std::string check_entry;   ///< counts failing elements, finds the first and shows it
  std::uint64_t length = 0;  ///< elements to check
  std::string buffer;
  std::string condition;  ///< as the user wrote it
  /// An array of expected values, which the check takes after the buffers; without bytes there is
  /// none.
  BufferPlan expected = {};
  std::string reference = {};  ///< its buffer that holds them; empty: a file does
};

/// The bytes a configuration needs to move in one launch.
struct UsefulTraffic {
  std::uint64_t device = 0;  ///< to and from buffers, reads and writes together
  std::uint64_t shared = 0;  ///< through shared memory
  /// Where the first buffer lies that is not in the device's memory, as BufferPlan has it.
  Place place = Place::device;
  std::int64_t peer = 1;
};

/// Why a buffer cannot lie there on the device, as a sentence; empty where it can. The emulator
/// takes every place for memory.
std::string why_not_there(Place place, std::int64_t peer, const Device& device);
/// The theoretical peak in B/s of the link that leads there in one direction; 0 where there is none
/// or it is not known.
double link_peak(Place place, std::int64_t peer, const Device& device);

/// How many launches a workload has at most, so that a device can be given all of a sample's at
/// once.
constexpr std::size_t most_launches = 400;

/// The first bytes of a buffer, whose accesses persist in L2.
struct AccessPolicyPlan {
  std::size_t buffer = 0;       ///< its place among the workload's
  std::uint64_t bytes = 0;      ///< 0: there is no window
  double hit_ratio = 1;         ///< the share of its accesses that persist
  std::uint64_t set_aside = 0;  ///< bytes of L2 for persisting accesses
  bool takes_less = false;      ///< where the device cannot set so much aside
};

/// What a GPU's copy engine copies in the place of a launch.
struct CopyPlan {
  std::size_t from = 0;  ///< the buffers' places among the workload's
  std::size_t to = 0;
  std::uint64_t bytes = 0;  ///< 0: the kernel is launched
};

/// A launch of a kernel.
struct LaunchPlan {
  std::string step;  ///< what the source calls the kernel
  std::string kernel_entry;
  /// Writes the kernel's parameters as a launch passes them (PackedParameters), given the buffers,
  /// the scalars, the objects, what is repeated and a place; empty where the buffers and scalars
  /// are the parameters.
  std::string packing_entry;
  Extent3 grid;
  Extent3 block;
  std::uint64_t shared_bytes = 0;
  Extent3 cluster = {0, 0, 0};              ///< in blocks; all 0 where the launch asks for none
  bool is_cooperative = false;              ///< all blocks have to be resident at once
  std::vector<std::int32_t> repeated = {};  ///< the values of the names that its step repeats
  /// Tensor maps and textures, which the packing function takes as addresses and handles.
  std::vector<ObjectPlan> objects = {};
  AccessPolicyPlan window = {};
  CopyPlan copy = {};

  bool has_cluster() const { return cluster.count() > 0; }
};

struct ReferencePlan;

/// One configuration, compiled and with every size worked out.
struct Workload {
  std::shared_ptr<const Program> program;
  std::vector<BufferPlan> buffers;
  std::vector<std::vector<std::byte>> scalars;  ///< the arguments after the buffers, as bytes
  std::vector<ConstantPlan> constants;
  std::vector<VerificationPlan> verify;
  std::vector<LaunchPlan> launches = {LaunchPlan()};  ///< one after the other
  UsefulTraffic useful;
  std::shared_ptr<const ReferencePlan> reference;  ///< what `verify` compares with; null: none

  /// Whether a check needs the reference.
  bool needs_reference() const {
    return std::ranges::any_of(verify, [](const auto& plan) { return !plan.reference.empty(); });
  }
};

/// What computes expected values, on buffers of its own.
struct ReferencePlan {
  std::string key;  ///< equal where the source and all values that it depends on are
  Workload workload;
};

/// Begins the messages of what goes wrong in a reference.
inline constexpr const char* in_reference = "the reference: ";

/// What a packing function writes: as many bytes of parameters as it says.
struct PackedParameters {
  static constexpr std::size_t most = 32'764;  ///< of a kernel's, by the CUDA programming guide

  std::uint64_t bytes = 0;
  std::array<std::byte, most + 4> parameters = {};
  std::uint32_t count = 0;                     ///< of the parameters
  std::array<std::uint32_t, 255> places = {};  ///< where each begins, of the first ones
};

/// What a device takes at most.
struct LaunchLimits {
  std::uint64_t block_threads = 0;
  Extent3 block;
  Extent3 grid;
  std::uint64_t shared_bytes = 0;  ///< of one block, for kernels that ask for it
};

/// What is wrong with a cluster on a device of a compute capability below 9.0.
inline constexpr const char* no_clusters =
    "bad launch: the device has no clusters, which need compute capability 9.0";

/// Throws ExecutionFailure: "bad launch: the block's size is 2048, the device takes at most 1024".
void require_launch(std::uint64_t value, std::uint64_t most, std::string_view what);
void check_launch(const LaunchPlan& launch, const LaunchLimits& limits);
/// The same for a cooperative launch, of whose blocks the device holds so many at once.
void check_resident(const LaunchPlan& launch, std::uint64_t resident_blocks);

/// One side of a check at one element, as the generated code writes it (see translation_unit.h).
struct ShownValue {
  std::int32_t kind = 0;  ///< 0 unknown, 1 signed, 2 unsigned, 3 floating, 4 boolean
  std::int32_t components = 0;
  std::array<std::uint64_t, 4> bits{};
};

/// What a generated check writes.
struct CheckResult {
  std::uint64_t count = 0;
  std::uint64_t first = ~std::uint64_t{0};
  /// Of the element that is off by most: how much in the upper 24 bits, and 2^40 - 1 less its
  /// number in the lower 40. 0 from checks that do not compare.
  std::uint64_t worst = 0;
  // Of one element that was checked alone:
  ShownValue actual;
  ShownValue expected;
  double difference = 0;   ///< of the component that is off by most
  double allowed = 0;      ///< for it, but for `ulps`
  std::uint64_t ulps = 0;  ///< its difference in steps between numbers of its type; 0: unknown

  std::uint64_t worst_element() const { return ~worst & ((std::uint64_t{1} << 40U) - 1); }
};

/// "42", "-1.5", "(1, 2, 3, 4)"; empty when the value cannot be shown.
std::string to_string(const ShownValue& value);

/// The sentence a failed point gets: how many elements fail, the first of them and, where they are
/// compared, the one that is off by most. `which` says which elements of the buffer these are of,
/// where they are not all. `check_one(i)` gives the result of checking element i alone.
std::string describe_mismatch(const VerificationPlan& plan, const CheckResult& result,
                              const std::function<CheckResult(std::uint64_t)>& check_one,
                              std::string_view which = "");

/// What a device says of itself at a moment. Figures it does not give are 0.
struct DeviceState {
  double sm_clock_hz = 0;
  double memory_clock_hz = 0;
  double temperature_celsius = 0;
  double power_watts = 0;
  std::vector<std::string> throttle_reasons;  ///< why its clocks are lower than they could be
};

/// What a backend learnt about a workload besides time.
struct Observation {
  std::vector<Metric> metrics;
  std::vector<std::string> notes;  ///< sentences about how the figures came about
};

/// What to ask the hardware's counters for.
struct CounterRequest {
  std::vector<std::string> names;  ///< of sets ("memory"), or of counters in NVIDIA's words
  CacheState cache = CacheState::cold;
};

/// What the hardware's counters said.
struct CounterResults {
  /// One per workload, in their order; without metrics where counting it did not succeed.
  std::vector<Observation> workloads;
  /// What could not be counted and the way out, in sentences that stand alone. A backend says each
  /// once.
  std::vector<std::string> problems;
};

/// Hears that a step begins: "init", "first launch", "check", "count", "sample".
using StepListener = std::function<void(std::string_view step)>;

/// A configuration that cannot be executed: the reason in a sentence that stands alone. Whether the
/// backend survives it, `Backend::usable` says.
class ExecutionFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The device or its library is not there or does not work at all.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One workload on a device. Every function may throw ExecutionFailure; after that only
/// destruction is allowed.
class Execution {
 public:
  virtual ~Execution() = default;

  /// Fills every buffer.
  virtual void initialise() = 0;
  /// Launches the kernel, or all steps, once and waits.
  virtual void launch() = 0;
  /// Checks the buffers; the reason when a check does not hold.
  virtual std::optional<std::string> verify() = 0;
  /// Takes `count` samples one after the other, each with the L2 cache in the wanted state: cold
  /// after a flush, warm after another launch. Only where `Backend::can_time`.
  virtual std::vector<Sample> sample(CacheState /*cache*/, int /*count*/) {
    throw std::logic_error("this backend times nothing");
  }
  /// Takes so many samples and throws them away. May return before they are done: what is asked
  /// for next comes after them.
  virtual void warm_up(CacheState cache, int count) { sample(cache, count); }
  /// Launches so many times, each right after the one before, and waits. Only where
  /// `Backend::can_time`.
  virtual void repeat(int /*launches*/) { throw std::logic_error("this backend times nothing"); }
  /// How long each of the workload's launches takes, after what comes before it, in seconds;
  /// nothing where the backend does not tell.
  virtual std::vector<double> launch_seconds(CacheState /*cache*/) { return {}; }
  /// How many launches a sample of `sample` is the mean of.
  virtual int launches_per_sample() const { return 1; }
  /// The seconds that the device has worked on this so far, timed or not; 0 where not known.
  virtual double busy_seconds() const { return 0; }
  /// The counts of the launches so far, where the backend counts; call it after verify.
  virtual Observation observe() { return {}; }
};

/// Something that executes compiled patterns: a GPU, or the emulator.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual const Device& device() const = 0;
  virtual bool can_time() const = 0;
  /// False once a failure has left the device in a state that only a new process gets out of.
  virtual bool usable() const = 0;
  /// Loads the program and allocates the buffers. Throws ExecutionFailure. One execution at a
  /// time: the one before must be destroyed first.
  virtual std::unique_ptr<Execution> prepare(const Workload& workload,
                                             const MeasureRules& rules) = 0;
  /// Executes the workload's reference, unless what it left is still there. `prepare` does that
  /// too, or what it prepares when that verifies. Throws ExecutionFailure.
  virtual void provide_reference(const Workload& /*workload*/) {}
  /// Makes a later `prepare` of the same workload quicker. Never fails: `prepare` tells.
  virtual void load(const Workload& /*workload*/) {}
  virtual DeviceState state() { return {}; }
  /// A counter of what the device draws, which goes on every 20 to 100 ms; nothing without one.
  virtual std::optional<double> energy_joules() { return std::nullopt; }
  /// What may disturb measuring now, in sentences: another process that uses the device.
  virtual std::vector<std::string> disturbances() { return {}; }
  /// The other processes that have computed on the device in the last seconds, as reports name
  /// them: "python3 (process 812)", "another process".
  virtual std::vector<std::string> others_computing() { return {}; }
  /// Runs each workload once more for every pass that the counters need, in their first state.
  /// No execution may be alive. Failures are part of the result. `on_step` is called before every
  /// launch; what it throws ends the counting.
  virtual CounterResults count(std::span<const Workload> workloads,
                               const CounterRequest& /*request*/, const StepListener& /*on_step*/) {
    return {std::vector<Observation>(workloads.size()),
            {"this device has no hardware counters, so none are taken"}};
  }
};

}  // namespace sweep

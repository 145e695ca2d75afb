#include "engine/cuda/loaded_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sweep {
namespace {

/// Throws ExecutionFailure when what the kernel itself allows, by __launch_bounds__, registers and
/// static shared memory, is less than what the launch asks for.
void check_kernel(const LaunchPlan& launch, const LaunchLimits& limits, CUfunction kernel) {
  const auto attribute = [&](CUfunction_attribute which) {
    return static_cast<std::uint64_t>(Driver::get().function_attribute.value(which, kernel));
  };
  const std::uint64_t most_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (launch.block.count() > most_threads) {
    throw ExecutionFailure(fmt::format(
        "bad launch: the block has {} threads, but the kernel's registers or __launch_bounds__ "
        "allow {}",
        launch.block.count(), most_threads));
  }
  const std::uint64_t fixed = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  if (fixed + launch.shared_bytes > limits.shared_bytes) {
    throw ExecutionFailure(fmt::format(
        "bad launch: the kernel's own {} bytes of shared memory and {} dynamic ones are more than "
        "the device's {}",
        fixed, launch.shared_bytes, limits.shared_bytes));
  }
}

/// How many of a launch's blocks a multiprocessor runs at once.
std::uint64_t blocks_at_once(CUfunction kernel, const LaunchPlan& launch) {
  return static_cast<std::uint64_t>(Driver::get().resident_blocks.value(
      kernel, static_cast<int>(launch.block.count()), std::size_t{launch.shared_bytes}));
}

/// A function's arguments: the buffers, and then others.
std::vector<void*> behind(LoadedWorkload::Addresses& buffers, const std::vector<void*>& others) {
  std::vector<void*> arguments;
  arguments.reserve(buffers.size() + others.size());
  for (CUdeviceptr& address : buffers) arguments.push_back(&address);
  arguments.insert(arguments.end(), others.begin(), others.end());
  return arguments;
}

/// Throws ExecutionFailure where the device has no such access policy window, or cannot set so much
/// of L2 aside.
void check_window(const AccessPolicyPlan& window, CUdevice device) {
  if (window.bytes == 0) return;
  const auto attribute = [&](CUdevice_attribute which) {
    return static_cast<std::uint64_t>(Driver::get().device_attribute.value(which, device));
  };
  const std::uint64_t most = attribute(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
  if (most == 0) {
    throw ExecutionFailure(
        "bad launch: on this device nothing persists in L2; access policy windows need compute "
        "capability 8.0, and a GPU that is not divided");
  }
  require_launch(window.bytes, attribute(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE),
                 "the access policy window in bytes");
  require_launch(window.takes_less ? 0 : window.set_aside, most, "the set-aside of L2 in bytes");
}

/// The L2 in bytes to set aside for the launches, at most what the device can.
std::uint64_t set_aside_of(const std::vector<LaunchPlan>& launches, CUdevice device) {
  std::uint64_t bytes = 0;
  for (const LaunchPlan& launch : launches) {
    const AccessPolicyPlan& window = launch.window;
    if (window.bytes > 0) bytes = std::max(bytes, window.set_aside);
  }
  if (bytes == 0) return 0;
  const auto most = static_cast<std::uint64_t>(Driver::get().device_attribute.value(
      CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, device));
  return std::min(bytes, most);
}

CUlaunchAttribute window_attribute(const AccessPolicyPlan& window, CUdeviceptr base) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
  CUaccessPolicyWindow& policy = attribute.value.accessPolicyWindow;
  policy.base_ptr = reinterpret_cast<void*>(base);
  policy.num_bytes = window.bytes;
  policy.hitRatio = static_cast<float>(window.hit_ratio);
  policy.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
  policy.missProp = CU_ACCESS_PROPERTY_STREAMING;
  return attribute;
}

std::vector<CUlaunchAttribute> attributes_of(const LaunchPlan& launch) {
  std::vector<CUlaunchAttribute> attributes;
  if (launch.has_cluster()) {
    CUlaunchAttribute& cluster = attributes.emplace_back();
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
  }
  if (launch.is_cooperative) {
    CUlaunchAttribute& cooperative = attributes.emplace_back();
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
  }
  return attributes;
}

}  // namespace

L2SetAside::L2SetAside(std::uint64_t bytes) {
  if (bytes == 0) return;
  before_ = Driver::get().context_limit.value(CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
  Driver::get().context_set_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, std::size_t{bytes});
}

L2SetAside::~L2SetAside() {
  if (!before_) return;
  Driver::get().context_reset_persisting.result();
  Driver::get().context_set_limit.result(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, *before_);
}

LoadedWorkload::LoadedWorkload(CudaContext& context, const Workload& workload)
    : stream_(context.stream.get()), workload_(workload) {
  for (const LaunchPlan& launch : workload_.launches) check_launch(launch, context.limits);
  const Module& module = context.module_of(workload_.program);
  for (const LaunchPlan& launch : workload_.launches) {
    launches_.push_back(load(context, module, launch));
  }
  set_aside_.emplace(set_aside_of(workload_.launches, context.primary.device()));
  context.load_files(workload_);
  for (const BufferPlan& buffer : workload_.buffers) {
    PeerGpu* const owner = owners_.emplace_back(context.owner_of(buffer));
    if (owner != nullptr && !workload_.constants.empty()) {
      throw ExecutionFailure(fmt::format(
          "the buffer '{}' cannot lie on another GPU: there the pattern's constants have no values",
          buffer.name));
    }
    init_.push_back(buffer.init_entry.empty() ? nullptr
                                              : function_of(owner, module, buffer.init_entry));
    files_.push_back(context.files.address(buffer));
  }
  for (const ConstantPlan& constant : workload_.constants) {
    LoadedConstant& loaded = constants_.emplace_back();
    loaded.fill = find_function(module, constant.fill_entry);
    Driver::get().module_global(&loaded.address, &loaded.bytes, module.get(),
                                constant.symbol.c_str());
    loaded.filled = allocate_device_memory(loaded.bytes);
  }
  for (const VerificationPlan& plan : workload_.verify) {
    const auto buffer = std::ranges::find(workload_.buffers, plan.buffer, &BufferPlan::name);
    const auto index = static_cast<std::size_t>(buffer - workload_.buffers.begin());
    PeerGpu* const owner =
        checkers_.emplace_back(index < owners_.size() ? owners_[index] : nullptr);
    check_.push_back(function_of(owner, module, plan.check_entry));
    expected_.push_back(plan.reference.empty()
                            ? context.files.address(plan.expected)
                            : context.references.address(*workload_.reference, plan.reference));
  }
  for (std::vector<std::byte>& scalar : workload_.scalars) scalars_.push_back(scalar.data());
}

LoadedWorkload::LoadedLaunch LoadedWorkload::load(const CudaContext& context, const Module& module,
                                                  const LaunchPlan& plan) const {
  const Driver& driver = Driver::get();
  LoadedLaunch launch = {plan, find_function(module, plan.kernel_entry), nullptr,
                         attributes_of(plan)};
  check_kernel(plan, context.limits, launch.kernel);
  check_window(plan.window, context.primary.device());
  // The attribute is the kernel's, for all of its launches.
  std::uint64_t shared_bytes = 0;
  for (const LaunchPlan& other : workload_.launches) {
    if (other.kernel_entry == plan.kernel_entry) {
      shared_bytes = std::max(shared_bytes, other.shared_bytes);
    }
  }
  if (shared_bytes > 0) {
    driver.function_set_attribute(launch.kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                  static_cast<int>(shared_bytes));
  }
  check_residency(launch, context.device);
  if (!plan.packing_entry.empty()) launch.packing = find_function(module, plan.packing_entry);
  return launch;
}

CUlaunchConfig LoadedWorkload::config_of(const LoadedLaunch& launch) const {
  const auto& [grid, block] = std::pair(launch.plan.grid, launch.plan.block);
  return {.gridDimX = grid.x,
          .gridDimY = grid.y,
          .gridDimZ = grid.z,
          .blockDimX = block.x,
          .blockDimY = block.y,
          .blockDimZ = block.z,
          .sharedMemBytes = static_cast<unsigned>(launch.plan.shared_bytes),
          .hStream = stream_,
          .attrs = const_cast<CUlaunchAttribute*>(launch.attributes.data()),
          .numAttrs = static_cast<unsigned>(launch.attributes.size())};
}

std::vector<ResidentKernel> LoadedWorkload::kernels() const {
  std::vector<ResidentKernel> kernels;
  for (const LoadedLaunch& launch : launches_) {
    const LaunchPlan& plan = launch.plan;
    const auto attribute = [function = launch.kernel](CUfunction_attribute which) {
      return static_cast<unsigned>(Driver::get().function_attribute.value(which, function));
    };
    const BlockNeeds needs = {
        .threads = static_cast<unsigned>(plan.block.count()),
        .registers_per_thread = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
        .static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
        .dynamic_shared_bytes = plan.shared_bytes,
        .local_bytes_per_thread = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)};
    kernels.push_back({needs, blocks_at_once(launch.kernel, plan)});
  }
  return kernels;
}

/// Throws ExecutionFailure where the device cannot hold one of the launch's clusters, or all of its
/// blocks at once where these are to wait for each other.
void LoadedWorkload::check_residency(const LoadedLaunch& launch, const Device& device) const {
  constexpr int first_with_clusters = 90;
  const Driver& driver = Driver::get();
  const LaunchPlan& plan = launch.plan;
  const CUlaunchConfig config = config_of(launch);
  if (!plan.has_cluster()) {
    if (!plan.is_cooperative) return;
    check_resident(plan, blocks_at_once(launch.kernel, plan) *
                             static_cast<std::uint64_t>(device.multiprocessors));
    return;
  }
  if (device.compute_capability < first_with_clusters) {
    throw ExecutionFailure(no_clusters);
  }
  driver.function_set_attribute(launch.kernel, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                                1);
  require_launch(plan.cluster.count(),
                 static_cast<std::uint64_t>(driver.largest_cluster.value(launch.kernel, &config)),
                 "the cluster's size, with what its blocks need,");
  const int clusters = driver.resident_clusters.value(launch.kernel, &config);
  if (clusters == 0) {
    throw ExecutionFailure(
        fmt::format("bad launch: the device has no room for a cluster of {} blocks that need so "
                    "many registers and so much shared memory",
                    plan.cluster.count()));
  }
  check_resident(plan, static_cast<std::uint64_t>(clusters) * plan.cluster.count());
}

bool LoadedWorkload::persists() const {
  return std::ranges::any_of(workload_.launches,
                             [](const LaunchPlan& plan) { return plan.window.bytes > 0; });
}

bool LoadedWorkload::is_of_device() const {
  return std::ranges::all_of(
      workload_.buffers, [](const BufferPlan& buffer) { return buffer.place == Place::device; });
}

bool LoadedWorkload::has_moving_pages() const {
  return std::ranges::any_of(workload_.buffers, [](const BufferPlan& buffer) {
    return is_managed(buffer.place) && is_far(buffer.place);
  });
}

CUfunction LoadedWorkload::function_of(PeerGpu* owner, const Module& own, const std::string& name) {
  if (owner == nullptr) return find_function(own, name);
  const ContextScope scope(owner->primary.get());
  const Module*& module = peer_modules_[owner];
  if (module == nullptr) module = &owner->modules.get(workload_.program);
  return find_function(*module, name);
}

template <class Work>
void LoadedWorkload::queue_on(const PeerGpu* owner, Work work) const {
  if (owner == nullptr) {
    work(stream_);
    return;
  }
  // What one GPU has written before an event, another sees that waits for the event: an event, like
  // the end of a kernel, is a fence of the system's scope.
  record(owner->wanted, stream_);
  {
    const ContextScope scope(owner->primary.get());
    Driver::get().stream_wait(owner->stream.get(), owner->wanted.get(), 0U);
    work(owner->stream.get());
    record(owner->done, owner->stream.get());
  }
  Driver::get().stream_wait(stream_, owner->done.get(), 0U);
}

std::vector<std::uint64_t> LoadedWorkload::sizes() const {
  std::vector<std::uint64_t> sizes;
  for (const BufferPlan& buffer : workload_.buffers) sizes.push_back(buffer.bytes);
  return sizes;
}

/// Queues a function that takes the buffers first.
void LoadedWorkload::queue(CUstream stream, CUfunction function, std::uint32_t blocks,
                           std::uint32_t threads, Addresses& addresses,
                           const std::vector<void*>& more_arguments) {
  std::vector<void*> arguments = behind(addresses, more_arguments);
  Driver::get().launch(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments.data(), nullptr);
}

/// Launches a generated function with a thread for each element.
void LoadedWorkload::queue_over_elements(CUstream stream, CUfunction function,
                                         std::uint64_t elements, Addresses& addresses,
                                         const std::vector<void*>& more_arguments) {
  constexpr unsigned threads = 256;
  constexpr std::uint64_t most_blocks = 0x7fffffff;  // more elements than any memory has
  const std::uint64_t blocks =
      std::clamp<std::uint64_t>((elements + threads - 1) / threads, 1, most_blocks);
  queue(stream, function, static_cast<unsigned>(blocks), threads, addresses, more_arguments);
}

void LoadedWorkload::queue_init(Addresses& addresses) const {
  for (const LoadedConstant& constant : constants_) {
    constexpr unsigned threads = 256;
    constexpr std::size_t most_blocks = 1024;
    const std::size_t blocks = std::clamp<std::size_t>(constant.bytes / threads, 1, most_blocks);
    CUdeviceptr place = constant.filled.get();
    std::uint64_t bytes = constant.bytes;
    queue(stream_, constant.fill, static_cast<unsigned>(blocks), threads, addresses,
          {&place, &bytes});
    Driver::get().copy_on_device(constant.address, place, constant.bytes, stream_);
  }
  constexpr unsigned char poison = 0xff;
  for (std::size_t i = 0; i < workload_.buffers.size(); ++i) {
    const BufferPlan& buffer = workload_.buffers[i];
    std::uint64_t length = buffer.length;
    queue_on(owners_[i], [&](CUstream stream) {
      if (files_[i] != 0) {
        Driver::get().copy(addresses[i], files_[i], buffer.bytes, stream);
      } else if (init_[i] == nullptr) {
        Driver::get().memory_set(addresses[i], poison, buffer.bytes, stream);
      } else {
        queue_over_elements(stream, init_[i], length, addresses, {&length});
      }
    });
  }
  queue_home(addresses);
}

void LoadedWorkload::queue_home(const Addresses& addresses) const {
  for (std::size_t i = 0; i < workload_.buffers.size(); ++i) {
    const BufferPlan& buffer = workload_.buffers[i];
    if (!is_managed(buffer.place) || !is_far(buffer.place)) continue;
    const CUdevice home = owners_[i] != nullptr ? owners_[i]->primary.device() : CU_DEVICE_CPU;
    Driver::get().prefetch(addresses[i], std::size_t{buffer.bytes}, home, stream_);
  }
}

void LoadedWorkload::queue_peer_flushes() const {
  for (const PeerGpu* owner : std::set<const PeerGpu*>(owners_.begin(), owners_.end())) {
    if (owner != nullptr) owner->flush->run(stream_);
  }
}

LoadedWorkload::Packed& LoadedWorkload::packed_parameters(const LoadedLaunch& launch,
                                                          Addresses& addresses) const {
  if (const auto known = launch.packed.find(addresses); known != launch.packed.end()) {
    return known->second;
  }
  KernelObjects objects(launch.plan.objects, addresses, stream_);
  const DeviceMemory memory = allocate_device_memory(sizeof(PackedParameters));
  CUdeviceptr place = memory.get();
  std::vector<void*> more = scalars_;
  std::vector<std::uint64_t> values = objects.values();
  for (std::uint64_t& value : values) more.push_back(&value);
  std::vector<std::int32_t> repeated = launch.plan.repeated;
  for (std::int32_t& value : repeated) more.push_back(&value);
  more.push_back(&place);
  queue(stream_, launch.packing, 1, 1, addresses, more);
  const auto packed = std::make_unique<PackedParameters>();
  Driver::get().copy_to_host(packed.get(), place, sizeof *packed, stream_);
  synchronize(stream_);
  const auto bytes = std::min<std::size_t>(packed->bytes, PackedParameters::most);
  const auto begin = packed->parameters.begin();
  Packed result = {std::move(objects), {begin, begin + bytes}};
  const bool has_map = std::ranges::any_of(launch.plan.objects, [](const ObjectPlan& plan) {
    return std::holds_alternative<TensorMap>(plan.object);
  });
  const bool are_known = packed->count <= packed->places.size();
  for (std::size_t i = 0; has_map && are_known && i < packed->count; ++i) {
    result.each.push_back(result.parameters.data() + packed->places.at(i));
  }
  return launch.packed.emplace(addresses, std::move(result)).first->second;
}

void LoadedWorkload::pack_parameters(Addresses& addresses) const {
  for (const LoadedLaunch& launch : launches_) {
    if (launch.packing != nullptr) packed_parameters(launch, addresses);
  }
}

void LoadedWorkload::queue(const LoadedLaunch& launch, Addresses& addresses) const {
  if (const CopyPlan& copy = launch.plan.copy; copy.bytes > 0) {
    Driver::get().copy(addresses.at(copy.to), addresses.at(copy.from), copy.bytes, stream_);
    return;
  }
  CUlaunchConfig config = config_of(launch);
  std::vector<CUlaunchAttribute> attributes;
  if (const AccessPolicyPlan& window = launch.plan.window; window.bytes > 0) {
    attributes = launch.attributes;
    attributes.push_back(window_attribute(window, addresses.at(window.buffer)));
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned>(attributes.size());
  }
  if (launch.packing != nullptr) {
    Packed& packed = packed_parameters(launch, addresses);
    std::size_t bytes = packed.parameters.size();
    std::array<void*, 5> extra = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed.parameters.data(),
                                  CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    const bool is_one = packed.each.empty();
    Driver::get().launch_with(&config, launch.kernel, is_one ? nullptr : packed.each.data(),
                              is_one ? extra.data() : nullptr);
    return;
  }
  std::vector<void*> arguments = behind(addresses, scalars_);
  Driver::get().launch_with(&config, launch.kernel, arguments.data(), nullptr);
}

void LoadedWorkload::queue_kernel(Addresses& addresses) const {
  for (const LoadedLaunch& launch : launches_) queue(launch, addresses);
}

void LoadedWorkload::queue_kernel(Addresses& addresses,
                                  const std::function<void()>& before_each) const {
  for (const LoadedLaunch& launch : launches_) {
    before_each();
    queue(launch, addresses);
  }
  before_each();
}

void LoadedWorkload::queue_check(std::size_t index, Addresses& addresses, std::uint64_t begin,
                                 std::uint64_t end, CUdeviceptr place) const {
  CUdeviceptr expected = expected_.at(index);
  const PeerGpu* checker = checkers_[index];
  queue_on(checker, [&](CUstream stream) {
    // A GPU counts in its own memory: not every link has atomic operations.
    CUdeviceptr result = checker != nullptr ? checker->check_result.get() : place;
    std::vector<void*> arguments = {&expected, &begin, &end, &result};
    if (expected == 0) arguments.erase(arguments.begin());
    if (checker != nullptr) Driver::get().copy(result, place, sizeof(CheckResult), stream);
    queue_over_elements(stream, check_[index], end - begin, addresses, arguments);
    if (checker != nullptr) Driver::get().copy(place, result, sizeof(CheckResult), stream);
  });
}

void load_functions(CudaContext& context, const Workload& workload) noexcept {
  try {
    const Module& module = context.module_of(workload.program);
    std::set<std::string> names;
    for (const LaunchPlan& launch : workload.launches) {
      names.insert({launch.kernel_entry, launch.packing_entry});
    }
    for (const BufferPlan& buffer : workload.buffers) names.insert(buffer.init_entry);
    for (const ConstantPlan& constant : workload.constants) names.insert(constant.fill_entry);
    for (const VerificationPlan& plan : workload.verify) names.insert(plan.check_entry);
    for (const std::string& name : names) {
      if (name.empty()) continue;
      // Asking for an attribute loads the function.
      Driver::get().function_attribute.value(CU_FUNC_ATTRIBUTE_NUM_REGS,
                                             find_function(module, name));
    }
  } catch (const std::exception&) {
    // The measurement comes upon the same error.
  }
}

}  // namespace sweep

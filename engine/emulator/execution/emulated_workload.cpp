#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "engine/emulator/execution/emulated_reference.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/emulator/execution/issued_accesses.h"
#include "engine/emulator/execution/issued_mix.h"
#include "engine/emulator/lower/code_analysis.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Gives the allocation the file's bytes: those of the pages that the system keeps of it, which all
/// executions share until they write.
void fill_from_file(Allocation& allocation, const FileBytes& file) {
  constexpr std::uint64_t alignment = 32;  // of the widest access
  const FileDescriptor opened = open_data(file);
  if (file.begin % alignment == 0) {
    allocation.pages = LazyPages(opened, static_cast<std::size_t>(file.begin + allocation.bytes));
    allocation.host = allocation.pages.data() + file.begin;
  } else {
    MemoryWatch::of_process().require(allocation.bytes);
    read_data(opened, file, 0, {allocation.host, static_cast<std::size_t>(allocation.bytes)});
  }
}

}  // namespace

void place_variables(const ptx::Module& program, std::span<const std::uint32_t> variables,
                     AddressSpace& memory, std::vector<std::uint64_t>& addresses) {
  const std::vector<ptx::Variable>& all = program.variables();
  addresses.resize(all.size());
  std::unordered_map<std::string_view, std::uint32_t> by_name;  // once one is asked for
  // A list, since the chain of initialisers that name further variables may be long.
  std::vector<std::pair<const ptx::Variable*, const Allocation*>> unfilled;
  const auto place = [&](std::uint32_t index) {
    if (addresses[index] != 0) return addresses[index];
    const ptx::Variable& variable = all[index];
    if (variable.is_extern) {
      throw UnsupportedError(fmt::format(
          "the variable '{}' is declared extern and nothing defines it", variable.name));
    }
    try {
      MemoryWatch::of_process().require(variable.bytes);
    } catch (const MemoryShortage& shortage) {
      throw UnsupportedError(fmt::format("out of memory: the variable '{}' has {}, {}",
                                         variable.name, format_bytes(variable.bytes),
                                         shortage.what()));
    }
    Allocation& allocation =
        memory.allocate(variable_name(variable.name), std::max<std::uint64_t>(variable.bytes, 1),
                        std::max(ptx::bytes_of(variable.type), 1U));
    if (variable.space == ptx::Space::constant) allocation.why_read_only = "which is read-only";
    unfilled.emplace_back(&variable, &allocation);
    return addresses[index] = allocation.base;
  };
  const auto address_of = [&](std::string_view symbol, const ptx::Variable& user) {
    if (by_name.empty()) {
      for (std::uint32_t i = 0; i < all.size(); ++i) by_name.emplace(all[i].name, i);
    }
    const auto found = by_name.find(symbol);
    if (found != by_name.end()) return place(found->second);
    throw UnsupportedError(fmt::format(
        "the variable '{}' holds the address of '{}', which is no variable", user.name, symbol));
  };
  for (const std::uint32_t index : variables) place(index);
  while (!unfilled.empty()) {
    const auto [variable, allocation] = unfilled.back();
    unfilled.pop_back();
    for (const ptx::Variable::Cell& cell : variable->initial) {
      std::uint64_t value = cell.bits;
      if (!cell.symbol.empty()) value = (value + address_of(cell.symbol, *variable)) >> cell.shift;
      if (cell.offset + cell.size > allocation->bytes) continue;
      // What a cell of 128 bits has beyond a value's 64 is zero.
      std::memcpy(allocation->host + cell.offset, &value,
                  std::min<std::size_t>(cell.size, sizeof value));
    }
  }
}

std::shared_ptr<const ptx::Module> LoadedPrograms::get(
    const std::shared_ptr<const Program>& program) {
  constexpr std::size_t most_kept = 16;
  std::unique_lock lock(mutex_);
  const auto found = std::ranges::find(entries_, program, &Entry::program);
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
  } else {
    // The first that asks for the result reads the program; others wait for it.
    const auto load = [program] { return std::make_shared<const ptx::Module>(program->ptx); };
    entries_.push_front({program, std::async(std::launch::deferred, load)});
    if (entries_.size() > most_kept) entries_.pop_back();
  }
  const auto loaded = entries_.front().loaded;
  lock.unlock();
  return loaded.get();
}

std::shared_ptr<EmulatedReference> LoadedPrograms::reference(
    const std::shared_ptr<const ReferencePlan>& plan, const EmulatorSettings& settings) {
  constexpr std::size_t most_kept = 8;
  constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30U;
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(
      references_, [&](const auto& kept) { return kept->plan().key == plan->key; });
  if (found != references_.end()) {
    references_.splice(references_.begin(), references_, found);
    return references_.front();
  }
  references_.push_front(std::make_shared<EmulatedReference>(settings, *this, plan));
  std::size_t kept = 0;
  std::uint64_t bytes = 0;
  std::erase_if(references_, [&](const auto& each) {
    const std::uint64_t all = bytes + bytes_of_buffers(each->plan().workload);
    const bool is_kept = kept == 0 || (kept < most_kept && all <= most_bytes);
    if (is_kept) bytes = all;
    if (is_kept) ++kept;
    return !is_kept;
  });
  return references_.front();
}

std::uint64_t bytes_of_buffers(const Workload& workload) {
  std::uint64_t bytes = 0;
  for (const BufferPlan& buffer : workload.buffers) {
    if (__builtin_add_overflow(bytes, buffer.bytes, &bytes)) return ~std::uint64_t{0};
  }
  return bytes;
}

EmulatedWorkload::EmulatedWorkload(std::shared_ptr<const ptx::Module> program,
                                   const Workload& workload, const std::atomic<bool>* cancelled)
    : cancelled_(cancelled), program_(std::move(program)), workload_(workload) {
  // What is mapped has to be found again, and written down, in the process's own address space.
  constexpr std::uint64_t most = std::uint64_t{1} << 40U;
  if (const std::uint64_t bytes = bytes_of_buffers(workload); bytes > most) {
    throw ExecutionFailure(
        fmt::format("out of memory: the buffers need {}; the emulator takes up to {}",
                    format_bytes(bytes), format_bytes(most)));
  }
  for (const BufferPlan& buffer : workload.buffers) {
    const std::uint64_t element_bytes = buffer.bytes / std::max<std::uint64_t>(buffer.length, 1);
    buffers_.push_back(
        &memory_.allocate(buffer.name, buffer.bytes, static_cast<std::uint32_t>(element_bytes)));
    buffers_.back()->is_far = is_far(buffer.place);
  }
}

Launch EmulatedWorkload::launch_of(const Kernel& kernel, std::vector<std::byte> parameters) {
  Launch launch;
  launch.kernel = &kernel;
  launch.memory = &memory_;
  launch.cancelled = cancelled_;
  const std::scoped_lock lock(memory_mutex_);
  place_variables(*program_, kernel.variables, memory_, variable_addresses_);
  launch.variable_addresses = variable_addresses_;
  if (parameters.size() != kernel.parameter_bytes) {
    throw ExecutionFailure(fmt::format("the kernel's parameters have {} bytes; the header gives {}",
                                       kernel.parameter_bytes, parameters.size()));
  }
  launch.parameters = std::move(parameters);
  const auto base = ConstantSlot::Kind::parameter_base;
  if (std::ranges::find(kernel.constants, base, &ConstantSlot::kind) != kernel.constants.end()) {
    Allocation& copy = memory_.allocate("the kernel's arguments", kernel.parameter_bytes, 1);
    std::ranges::copy(launch.parameters, copy.host);
    copy.why_read_only = "which are read-only";
    launch.parameters_address = copy.base;
  }
  return launch;
}

Launch EmulatedWorkload::launch_on_buffers(const Kernel& kernel,
                                           const std::vector<std::vector<std::byte>>& more) {
  std::vector<std::vector<std::byte>> given;
  for (const Allocation* buffer : buffers_) given.push_back(bytes_of(buffer->base));
  given.insert(given.end(), more.begin(), more.end());
  if (given.size() != kernel.parameter_sizes.size()) {
    throw ExecutionFailure(fmt::format("the kernel takes {} arguments; the header gives {}",
                                       kernel.parameter_sizes.size(), given.size()));
  }
  std::vector<std::byte> parameters(static_cast<std::size_t>(kernel.parameter_bytes));
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].size() != kernel.parameter_sizes[i]) {
      throw ExecutionFailure(
          fmt::format("the kernel's argument {} has {} bytes; the header gives {}", i + 1,
                      kernel.parameter_sizes[i], given[i].size()));
    }
    std::ranges::copy(given[i], parameters.data() + kernel.parameter_offsets[i]);
  }
  return launch_of(kernel, std::move(parameters));
}

/// Where a tensor map or texture of the plan lies, as the machine reads it.
const Allocation& EmulatedWorkload::place_object(const ObjectPlan& plan) {
  const Allocation& buffer = *buffers_[plan.buffer];
  const auto place = [&](auto object, const char* what) -> const Allocation& {
    object.address = buffer.base;
    Allocation& copy =
        memory_.allocate(fmt::format("the {} of {}", what, buffer.name), tensor_map_bytes, 1);
    std::ranges::copy(bytes_of(object), copy.host);
    copy.why_read_only = "which is read-only";
    return copy;
  };
  const auto* const map = std::get_if<TensorMap>(&plan.object);
  if (map == nullptr) return place(std::get<Texture>(plan.object), "texture");
  if (map->interleave != 0) {
    throw ExecutionFailure(fmt::format(
        "the emulator copies no interleaved tensors, as the tensor map of {} has it; a GPU does "
        "(--device 0)",
        buffer.name));
  }
  return place(*map, "tensor map");
}

/// What the packing function writes for the buffers' addresses.
std::vector<std::byte> EmulatedWorkload::packed_parameters(
    const LaunchPlan& plan, std::vector<const Allocation*>& objects) {
  Allocation& place = memory_.allocate("the kernel's arguments", sizeof(PackedParameters), 1);
  std::vector<std::vector<std::byte>> more = workload_.scalars;
  for (const ObjectPlan& object : plan.objects) {
    objects.push_back(&place_object(object));
    more.push_back(bytes_of(objects.back()->base));
  }
  for (const std::int32_t value : plan.repeated) more.push_back(bytes_of(value));
  more.push_back(bytes_of(place.base));
  Launch launch = launch_on_buffers(kernel_called(plan.packing_entry), more);
  launch.function = "what gives the arguments";
  prepare_launch(launch);
  run_grid(launch, {});
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, place.host, sizeof bytes);
  const std::byte* first = place.host + sizeof bytes;
  return {first, first + std::min<std::uint64_t>(bytes, PackedParameters::most)};
}

Launch EmulatedWorkload::launch(std::size_t index) {
  const LaunchPlan& plan = workload_.launches[index];
  std::vector<const Allocation*> objects;
  Launch launch = plan.packing_entry.empty()
                      ? launch_on_buffers(kernel(index), workload_.scalars)
                      : launch_of(kernel(index), packed_parameters(plan, objects));
  launch.objects = std::move(objects);
  launch.grid = {plan.grid.x, plan.grid.y, plan.grid.z};
  launch.block = {plan.block.x, plan.block.y, plan.block.z};
  launch.dynamic_shared_bytes = plan.shared_bytes;
  if (plan.has_cluster()) {
    launch.cluster = {plan.cluster.x, plan.cluster.y, plan.cluster.z};
    launch.is_explicit_cluster = true;
  }
  launch.has_far_buffers = std::ranges::any_of(buffers_, &Allocation::is_far);
  launch.is_cooperative = plan.is_cooperative;
  if (plan.is_cooperative && launch.kernel->has_grid_barrier) {
    // What cooperative groups have a size and a barrier in (cooperative_groups' driver_abi.h).
    constexpr std::uint64_t workspace_bytes = 64;
    const std::scoped_lock lock(memory_mutex_);
    launch.grid_workspace = memory_.allocate("what grid.sync() uses", workspace_bytes, 4).base;
  }
  return launch;
}

void EmulatedWorkload::fill(const ConstantPlan& plan) {
  const std::vector<ptx::Variable>& all = program_->variables();
  const auto found = std::ranges::find(all, plan.symbol, &ptx::Variable::name);
  if (found == all.end() || found->bytes == 0) {
    throw ExecutionFailure(
        fmt::format("the program has no variable '{}' to fill", variable_name(plan.symbol)));
  }
  const std::array index = {static_cast<std::uint32_t>(found - all.begin())};
  place_variables(*program_, index, memory_, variable_addresses_);
  const Allocation& filled = memory_.allocate("what is filled", found->bytes, 1);
  Launch launch = launch_on_buffers(kernel_called(plan.fill_entry),
                                    {bytes_of(filled.base), bytes_of(found->bytes)});
  launch.function = "the init of " + variable_name(plan.symbol);
  launch.block = {warp_size, 1, 1};
  prepare_launch(launch);
  run_grid(launch, {});
  std::memcpy(memory_.find(variable_addresses_[index.front()])->host, filled.host, found->bytes);
}

void EmulatedWorkload::guard_const_buffers(bool is_guarded) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!workload_.buffers[i].is_const) continue;
    buffers_[i]->why_read_only = is_guarded ? "which the kernel takes as const" : "";
  }
}

const Kernel& EmulatedWorkload::kernel_called(const std::string& entry) {
  const std::scoped_lock lock(memory_mutex_);
  const auto known = kernels_.find(entry);
  if (known != kernels_.end()) return known->second;
  return kernels_.emplace(entry, lower(*program_, entry, best_simd())).first->second;
}

void EmulatedWorkload::issue_as_compiled(const std::string& entry, const KernelCode& code) {
  kernel_called(entry);
  sweep::issue_as_compiled(kernels_.at(entry), code);
  mix_as_compiled(kernels_.at(entry), code);
}

void EmulatedWorkload::attach_init() {
  for (const ConstantPlan& constant : workload_.constants) fill(constant);
  lazy_.clear();
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const BufferPlan& plan = workload_.buffers[i];
    Allocation& buffer = *buffers_[i];
    buffer.written = std::make_unique<TouchedBytes>(buffer.bytes);
    buffer.is_initialised = !plan.init_entry.empty() || !plan.file.path.empty();
    if (!plan.file.path.empty()) fill_from_file(buffer, plan.file);
    if (plan.init_entry.empty()) continue;
    const auto make = [this, &plan, &buffer] {
      Launch launch = launch_on_buffers(kernel_called(plan.init_entry), {bytes_of(plan.length)});
      launch.fills = &buffer;
      launch.function = "the init of " + buffer.name;
      return std::make_unique<ElementFunction>(std::move(launch));
    };
    lazy_.push_back(std::make_unique<LazyValues>(buffer, plan.length, make, init_mutex_));
  }
}

void EmulatedWorkload::watch_blocks() {
  for (Allocation* buffer : buffers_) {
    // Blocks that only read do not meet.
    if (!buffer->why_read_only.empty()) continue;
    buffer->meetings = std::make_unique<BlockMeetings>(buffer->bytes, buffer->element_bytes);
  }
}

void EmulatedWorkload::end_watch(bool is_partial, bool has_more_to_do) {
  for (Allocation* buffer : buffers_) {
    const bool is_shared = has_more_to_do || buffer->has_atomic_updates ||
                           (buffer->meetings != nullptr && buffer->meetings->have_met());
    buffer->has_partial_updates = is_partial && is_shared;
    buffer->meetings.reset();
  }
}

void EmulatedWorkload::complete_init(unsigned threads) {
  // Each byte has a bit that says whether it was written, each element one for its first value.
  std::uint64_t bytes = 0;
  for (const BufferPlan& plan : workload_.buffers) {
    if (plan.init_entry.empty()) continue;
    bytes += plan.bytes + plan.bytes / 8 + plan.length / 8;
  }
  MemoryWatch::of_process().require(bytes);
  for (const auto& values : lazy_) values->complete(threads);
}

const Allocation& EmulatedWorkload::expected_values(const VerificationPlan& plan) {
  const std::scoped_lock lock(memory_mutex_);
  Allocation*& values = expected_[&plan];
  if (values == nullptr) {
    const BufferPlan& expected = plan.expected;
    values = &memory_.allocate(expected.name, expected.bytes,
                               static_cast<std::uint32_t>(expected.bytes / expected.length));
    fill_from_file(*values, expected.file);
  }
  return *values;
}

void EmulatedWorkload::expect(const VerificationPlan& plan, const Allocation& values) {
  Allocation& copy = memory_.allocate(plan.expected.name, values.bytes, values.element_bytes);
  copy.host = values.host;
  expected_[&plan] = &copy;
}

EmulatedWorkload::Check EmulatedWorkload::make_check(std::size_t index, std::uint64_t begin,
                                                     std::uint64_t end,
                                                     bool retires_stale_readers) {
  const VerificationPlan& plan = workload_.verify[index];
  const Kernel& kernel = kernel_called(plan.check_entry);
  Check check;
  {
    const std::scoped_lock lock(memory_mutex_);
    check.allocation = &memory_.allocate("the check's result", sizeof(CheckResult), 1);
  }
  std::ranges::copy(bytes_of(CheckResult()), check.allocation->host);
  std::vector<std::vector<std::byte>> given = {bytes_of(begin), bytes_of(end),
                                               bytes_of(check.allocation->base)};
  if (plan.expected.bytes > 0) given.insert(given.begin(), bytes_of(expected_values(plan).base));
  Launch launch = launch_on_buffers(kernel, given);
  launch.retires_stale_readers = retires_stale_readers;
  launch.function = "verify";
  check.function = std::make_unique<ElementFunction>(std::move(launch));
  return check;
}

CheckResult EmulatedWorkload::Check::result() const {
  CheckResult result;
  std::memcpy(&result, allocation->host, sizeof result);
  return result;
}

namespace {

/// What a check says of the elements that it judged.
struct Judgement {
  CheckResult found;
  std::uint64_t judged = 0;
};

Judgement judge_all(EmulatedWorkload& workload, std::size_t index, unsigned most_threads) {
  constexpr std::uint64_t chunk = 1U << 14U;
  const std::uint64_t length = workload.workload().verify[index].length;
  const auto threads = static_cast<unsigned>(
      std::clamp<std::uint64_t>(length / chunk, 1, std::max(most_threads, 1U)));
  std::vector<EmulatedWorkload::Check> checks;
  for (unsigned i = 0; i < threads; ++i) {
    checks.push_back(workload.make_check(index, 0, length, false));
  }
  std::atomic<std::size_t> next = 0;
  share_out(
      length, chunk, threads, [&] { return checks[next++].function.get(); },
      [](ElementFunction* check, std::uint64_t begin, std::uint64_t end) {
        check->run_range(begin, end);
      });
  Judgement sum;
  sum.judged = length;
  for (const EmulatedWorkload::Check& check : checks) {
    const CheckResult result = check.result();
    sum.found.count += result.count;
    sum.found.first = std::min(sum.found.first, result.first);
    sum.found.worst = std::max(sum.found.worst, result.worst);
  }
  return sum;
}

/// What executed blocks wrote and, where all were executed, elements here and there.
Judgement judge_some(EmulatedWorkload& workload, std::size_t index, bool is_partial) {
  const VerificationPlan& plan = workload.workload().verify[index];
  const auto named = std::ranges::find(workload.buffers(), plan.buffer, &Allocation::name);
  if (named == workload.buffers().end() || (*named)->written == nullptr) return {};
  const std::uint64_t element_bytes = (*named)->element_bytes;
  const TouchedBytes& written = *(*named)->written;
  EmulatedWorkload::Check check = workload.make_check(index, 0, plan.length, is_partial);
  std::vector<std::uint64_t> elements;
  std::uint64_t looked_at = 0;
  const auto flush = [&] {
    check.function->run(elements);
    looked_at += elements.size();
    elements.clear();
  };
  const auto look_at = [&](std::uint64_t element) {
    elements.push_back(element);
    if (elements.size() == warp_size) flush();
  };
  for (std::uint64_t at = written.find_from(0); at < written.bytes();) {
    const std::uint64_t element = at / element_bytes;
    if (element >= plan.length) break;
    look_at(element);
    at = written.find_from((element + 1) * element_bytes);
  }
  constexpr std::uint64_t chosen = std::uint64_t{256} * warp_size;
  for (std::uint64_t i = 0; i < chosen && !is_partial; ++i) {
    const std::uint64_t element = plan.length / chosen * i;
    const std::uint64_t begin = element * element_bytes;
    if (written.find_from(begin) >= begin + element_bytes) look_at(element);
  }
  flush();
  return {check.result(), looked_at - check.function->retired()};
}

}  // namespace

bool judges_some(const VerificationPlan& plan, bool is_partial, bool is_exact) {
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 25U;  // judged in about a second
  return is_partial || (!is_exact && plan.length > most_elements);
}

VerificationOutcome verify_results(EmulatedWorkload& workload, bool is_partial, bool is_exact,
                                   unsigned threads) {
  const std::vector<VerificationPlan>& plans = workload.workload().verify;
  VerificationOutcome outcome;
  for (const VerificationPlan& plan : plans) outcome.elements += plan.length;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    outcome.failed = i;
    if (workload.lacks_expected(plans[i])) continue;
    const auto [found, judged] = judges_some(plans[i], is_partial, is_exact)
                                     ? judge_some(workload, i, is_partial)
                                     : judge_all(workload, i, threads);
    outcome.judged += judged;
    if (found.count == 0) continue;
    const auto check_one = [&](std::uint64_t element) {
      const auto check = workload.make_check(i, element, element + 1, is_partial);
      check.function->run_range(0, 1);
      return check.result();
    };
    VerificationPlan plan = plans[i];
    plan.length = judged;
    const bool is_whole = judged == plans[i].length;
    outcome.mismatch =
        describe_mismatch(plan, found, check_one, is_whole ? "" : " that were judged");
    break;
  }
  return outcome;
}

}  // namespace sweep

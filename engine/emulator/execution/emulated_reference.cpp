#include "engine/emulator/execution/emulated_reference.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace sweep {
namespace {

/// Thread instructions that a reference may come to: some seconds.
constexpr std::uint64_t most_of_reference = 4'000'000'000;

/// That are looked at one by one.
constexpr std::uint64_t most_units = 1U << 24U;

/// The elements that were written, in order.
std::vector<std::uint64_t> elements_in(const TouchedBytes& written, std::uint64_t element_bytes) {
  std::vector<std::uint64_t> elements;
  for (std::uint64_t at = written.find_from(0); at < written.bytes();) {
    elements.push_back(at / element_bytes);
    at = written.find_from((elements.back() + 1) * element_bytes);
  }
  return elements;
}

/// As on a device, where buffers begin as bytes of 0xff.
void fill_unwritten(Allocation& buffer) {
  constexpr std::byte poison{0xff};
  constexpr std::uint64_t piece = 4096;
  if (buffer.is_initialised || buffer.written == nullptr) return;
  for (std::uint64_t begin = 0; begin < buffer.bytes; begin += piece) {
    const std::uint64_t count = std::min(piece, buffer.bytes - begin);
    if (buffer.written->all(begin, count)) continue;
    for (std::uint64_t at = begin; at < begin + count; ++at) {
      if (!buffer.written->all(at, 1)) buffer.host[at] = poison;
    }
  }
}

/// The same fault, of which the message says that it is the reference's.
KernelFault fault_in_reference(const KernelFault& fault) {
  std::string where = fault.what();
  where.resize(where.size() - fault.message.size());
  if (where.ends_with(": ")) where.resize(where.size() - 2);
  return {fault.kind, fault.place, where, in_reference + fault.message};
}

}  // namespace

EmulatedReference::EmulatedReference(EmulatorSettings settings, LoadedPrograms& programs,
                                     std::shared_ptr<const ReferencePlan> plan)
    : settings_(std::move(settings)), programs_(programs), plan_(std::move(plan)) {
  settings_.notes_shapes = false;
}

std::shared_ptr<EmulatorExecution> EmulatedReference::provide(const std::string& buffer,
                                                              const Allocation* compared) {
  const std::scoped_lock lock(mutex_);
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  const auto failed = [](const std::string& why) {
    return std::make_exception_ptr(ExecutionFailure(in_reference + why));
  };
  try {
    return has_provided(buffer, compared) ? execution_ : nullptr;
  } catch (const Cancelled&) {
    execution_.reset();
    throw;
  } catch (const KernelFault& fault) {
    failure_ = std::make_exception_ptr(fault_in_reference(fault));
  } catch (const UnsupportedError& error) {
    failure_ = failed(error.what());
  } catch (const MemoryShortage& shortage) {
    failure_ = failed(std::string("out of memory: ") + shortage.what());
  } catch (const ExecutionFailure& failure) {
    failure_ = failed(failure.what());
  }
  std::rethrow_exception(failure_);
}

bool EmulatedReference::has_provided(const std::string& buffer, const Allocation* compared) {
  if (execution_ == nullptr) start();
  if (is_complete_) return true;
  return (compared != nullptr && can_choose_ && provide_some(buffer, *compared)) || provide_all();
}

/// Makes the buffers as they are before the first launch.
void EmulatedReference::start() {
  launch_.reset();
  footprints_.clear();
  executed_.clear();
  is_complete_ = false;
  execution_ =
      std::make_shared<EmulatorExecution>(settings_, programs_, plan_->workload, std::nullopt);
  EmulatedWorkload& emulated = execution_->emulated();
  emulated.attach_init();
  emulated.guard_const_buffers(true);
  std::uint64_t elements = 0;
  for (std::size_t i = 0; i < emulated.buffers().size(); ++i) {
    const BufferPlan& plan = plan_->workload.buffers[i];
    if (!plan.init_entry.empty()) elements += plan.length;
    // Nothing is written to what is const, and accesses that nobody has to note are quicker.
    if (plan.is_const && emulated.buffers()[i]->is_initialised) {
      emulated.buffers()[i]->written = nullptr;
    }
  }
  // So are those to what has its first values, which pays where these are few.
  constexpr std::uint64_t few_elements = 1U << 22U;
  if (elements <= few_elements) emulated.complete_init(settings_.threads);
}

std::uint64_t EmulatedReference::left() const {
  if (settings_.is_exact) return ~std::uint64_t{0};
  return most_of_reference - std::min(spent_, most_of_reference);
}

/// Executes the units that seem to write what was written to `compared`. False where they do not,
/// or units cannot be chosen.
bool EmulatedReference::provide_some(const std::string& buffer, const Allocation& compared) {
  EmulatedWorkload& emulated = execution_->emulated();
  const std::vector<LaunchPlan>& launches = plan_->workload.launches;
  if (compared.written == nullptr || launches.size() > 1 || emulated.kernel(0).is_linked ||
      launches.front().has_cluster() || emulated.kernel(0).cluster.front() != 0 ||
      launches.front().grid.count() > most_units) {
    return false;
  }
  if (footprints_.empty()) learn_footprints();
  const auto place = std::ranges::find(emulated.buffers(), buffer, &Allocation::name);
  const auto index = static_cast<std::size_t>(place - emulated.buffers().begin());
  const Footprint& footprint = footprints_[index];
  if (footprint.offsets.empty()) return false;
  const std::vector<std::uint64_t> units = units_for(footprint, compared);
  if (units.size() > left() / std::max<std::uint64_t>(unit_cost_, 1)) return false;
  run(units);
  const auto has_met = [](const Allocation* each) {
    return each->has_atomic_updates || (each->meetings != nullptr && each->meetings->have_met());
  };
  can_choose_ = std::ranges::none_of(emulated.buffers(), has_met);
  if (!can_choose_) return false;
  const Allocation& values = **place;
  return std::ranges::all_of(
      elements_in(*compared.written, compared.element_bytes), [&](std::uint64_t element) {
        return values.written->all(element * values.element_bytes, values.element_bytes);
      });
}

/// What chooses these units, which are rising: the numbers of blocks, or of warps with lanes.
std::vector<std::uint64_t> EmulatedReference::numbers_of(
    std::span<const std::uint64_t> units) const {
  if (!launch_->chooses_lanes) return {units.begin(), units.end()};
  const std::uint64_t in_block = extents_[0] * extents_[1] * extents_[2];
  const bool are_warps = in_block != launch_->block.count();
  std::vector<std::uint64_t> numbers;
  for (const std::uint64_t unit : units) {
    const std::uint64_t place = unit % in_block;
    const std::uint64_t warp =
        unit / in_block * launch_->warps() + (are_warps ? place : place / warp_size);
    const std::uint64_t lanes = are_warps ? full_mask : std::uint64_t{1} << place % warp_size;
    if (numbers.empty() || numbers.back() >> 32U != warp) numbers.push_back(warp << 32U);
    numbers.back() |= lanes;
  }
  return numbers;
}

void EmulatedReference::run(std::span<const std::uint64_t> units) {
  constexpr std::size_t at_once = 1U << 16U;
  while (!units.empty()) {
    const auto part = units.first(std::min(units.size(), at_once));
    std::uint64_t instructions = 0;
    for (const LaunchCount& count :
         run_blocks(*launch_, numbers_of(part), execution_->grid_options(0))) {
      instructions += count.work();
    }
    unit_cost_ = std::max(unit_cost_, instructions / part.size());
    spent_ += instructions;
    for (const std::uint64_t unit : part) executed_[unit] = true;
    units = units.subspan(part.size());
  }
}

/// The elements of each buffer that a unit writes.
std::vector<std::vector<std::uint64_t>> EmulatedReference::run_probe(std::uint64_t unit) {
  const std::vector<Allocation*>& buffers = execution_->emulated().buffers();
  std::vector<std::unique_ptr<TouchedBytes>> before(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i]->written == nullptr) continue;
    before[i] =
        std::exchange(buffers[i]->written, std::make_unique<TouchedBytes>(buffers[i]->bytes));
  }
  run({&unit, 1});
  std::vector<std::vector<std::uint64_t>> elements(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    Allocation& buffer = *buffers[i];
    if (buffer.written == nullptr) continue;
    elements[i] = elements_in(*buffer.written, buffer.element_bytes);
    buffer.written = std::move(before[i]);
    for (const std::uint64_t element : elements[i]) {
      buffer.written->set(element * buffer.element_bytes, buffer.element_bytes);
    }
  }
  return elements;
}

/// From the first unit and its neighbours along each dimension.
void EmulatedReference::learn_footprints() {
  EmulatedWorkload& emulated = execution_->emulated();
  launch_ = execution_->prepared(0);
  const Kernel& kernel = *launch_->kernel;
  launch_->chooses_lanes = kernel.barriers.empty() && kernel.mbarriers.empty() &&
                           kernel.static_shared_bytes + launch_->dynamic_shared_bytes == 0;
  const Dim3 grid = launch_->grid;
  const Dim3 block = launch_->block;
  extents_ = {1, 1, 1, grid.x, grid.y, grid.z};
  const auto fit = [&](std::uint64_t in_block) { return in_block <= most_units / grid.count(); };
  if (launch_->chooses_lanes && kernel.collectives.empty() && fit(block.count())) {
    extents_ = {block.x, block.y, block.z, grid.x, grid.y, grid.z};
  } else if (launch_->chooses_lanes && fit(launch_->warps())) {
    extents_[0] = launch_->warps();
  } else {
    launch_->chooses_lanes = false;
  }
  emulated.watch_blocks();
  executed_.assign(
      std::accumulate(extents_.begin(), extents_.end(), std::uint64_t{1}, std::multiplies()),
      false);
  const auto of_first = run_probe(0);
  for (const std::vector<std::uint64_t>& elements : of_first) {
    Footprint& footprint = footprints_.emplace_back();
    if (elements.empty()) continue;
    footprint.first = static_cast<std::int64_t>(elements.front());
    for (const std::uint64_t each : elements) footprint.offsets.push_back(each - elements.front());
  }
  std::uint64_t neighbour = 1;
  for (std::size_t axis = 0; axis < extents_.size(); neighbour *= extents_.at(axis++)) {
    if (extents_.at(axis) == 1) continue;
    const auto elements = run_probe(neighbour);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i].empty()) continue;
      footprints_[i].step.at(axis) =
          static_cast<std::int64_t>(elements[i].front()) - footprints_[i].first;
    }
  }
}

/// Those not yet executed of which a footprint holds what was written to `compared`.
std::vector<std::uint64_t> EmulatedReference::units_for(const Footprint& footprint,
                                                        const Allocation& compared) const {
  const std::uint64_t bytes = compared.element_bytes;
  const std::uint64_t length = compared.bytes / bytes;
  const std::vector<std::uint64_t>& offsets = footprint.offsets;
  std::vector<std::uint64_t> units;
  // The first element that was written at or after `from`.
  std::uint64_t from = length;
  std::uint64_t next = 0;
  Place place = {};
  std::int64_t first = footprint.first;
  const auto advance = [&] {
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      first += footprint.step.at(axis);
      if (++place.at(axis) < extents_.at(axis)) return;
      first -= footprint.step.at(axis) * static_cast<std::int64_t>(extents_.at(axis));
      place.at(axis) = 0;
    }
  };
  for (std::uint64_t unit = 0; unit < executed_.size(); ++unit, advance()) {
    if (executed_[unit]) continue;
    if (first < 0 || static_cast<std::uint64_t>(first) >= length) continue;
    const auto begin = static_cast<std::uint64_t>(first);
    if (begin < from || begin > next) {
      from = begin;
      next = compared.written->find_from(begin * bytes) / bytes;
    }
    if (next > begin + offsets.back()) continue;
    const bool is_wanted = std::ranges::any_of(offsets, [&](std::uint64_t offset) {
      const std::uint64_t element = begin + offset;
      return element >= next && element < length && compared.written->all(element * bytes, bytes);
    });
    if (is_wanted) units.push_back(unit);
  }
  return units;
}

/// Executes every block of every launch.
bool EmulatedReference::provide_all() {
  if (is_too_much_) return false;
  if (!footprints_.empty()) start();
  for (std::size_t i = 0; i < plan_->workload.launches.size(); ++i) {
    is_too_much_ = !run_all(i);
    if (!is_too_much_) continue;
    start();
    return false;
  }
  for (Allocation* each : execution_->emulated().buffers()) fill_unwritten(*each);
  return is_complete_ = true;
}

/// Executes a launch, the first block of which tells what all of them come to.
bool EmulatedReference::run_all(std::size_t index) {
  const Launch launch = execution_->prepared(index);
  GridOptions options = execution_->grid_options(index);
  const std::uint64_t total = launch.clusters().count();
  if (launch.kernel->is_linked) {
    if (launch.grid.count() * launch.block.count() > left()) return false;
    if (index == 0) execution_->emulated().complete_init(settings_.threads);
    options.instruction_budget = left();
    const GridResult result = run_grid(launch, options);
    spent_ += result.count.work();
    return result.blocks == launch.grid.count();
  }
  const std::uint64_t of_first = run_blocks_total(launch, 0, 1, options).work();
  spent_ += of_first;
  if (total - 1 > left() / std::max<std::uint64_t>(of_first, 1)) return false;
  if (index == 0) execution_->emulated().complete_init(settings_.threads);
  spent_ += run_blocks_total(launch, 1, total, options).work();
  return true;
}

/// Has the reference executed, as far as its results are compared.
void EmulatorExecution::provide_expected() {
  bool is_too_much = false;
  for (const VerificationPlan& plan : workload_.verify) {
    if (plan.reference.empty()) continue;
    const auto compared = std::ranges::find(emulated_->buffers(), plan.buffer, &Allocation::name);
    const bool some = judges_some(plan, counted_.is_partial(), settings_.is_exact);
    const auto execution = programs_.reference(workload_.reference, settings_)
                               ->provide(plan.reference, some ? *compared : nullptr);
    is_too_much = is_too_much || execution == nullptr;
    if (execution == nullptr) continue;
    references_.push_back(execution);
    const std::vector<Allocation*>& buffers = execution->emulated().buffers();
    emulated_->expect(plan, **std::ranges::find(buffers, plan.reference, &Allocation::name));
  }
  if (!is_too_much) return;
  notes_.emplace_back(
      "not compared with the reference, which comes to more than 4 billion thread instructions "
      "here: give it smaller values (emulator: {set: ...}), or --exact");
}

}  // namespace sweep

#include "engine/emulator/execution/emulated_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "engine/backend/backend.h"
#include "engine/emulator/lower/lower.h"
#include "engine/emulator/machine/grid_run.h"
#include "engine/emulator/machine/lazy_memory.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::uint32_t element_bytes(const BufferPlan& buffer) {
  return static_cast<std::uint32_t>(buffer.bytes / std::max<std::uint64_t>(buffer.length, 1));
}

/// What is mapped has to be found again, and written down, in the process's own address space.
void require_possible(const Workload& workload) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40U;
  const std::uint64_t bytes = bytes_of_buffers(workload);
  if (bytes <= most) return;
  throw ExecutionFailure(
      fmt::format("out of memory: the buffers need {}; the emulator takes up to "
                  "{}",
                  format_bytes(bytes), format_bytes(most)));
}

}  // namespace

std::uint64_t bytes_of_buffers(const Workload& workload) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  std::uint64_t bytes = 0;
  for (const BufferPlan& buffer : workload.buffers) {
    bytes = buffer.bytes > most - bytes ? most : bytes + buffer.bytes;
  }
  return bytes;
}

EmulatedWorkload::EmulatedWorkload(std::shared_ptr<const ptx::Module> program,
                                   const Workload& workload, const std::atomic<bool>* cancelled)
    : cancelled_(cancelled),
      program_(std::move(program)),
      workload_(workload),
      variables_(*program_, memory_),
      kernel_(lower(*program_, workload.kernel_entry, best_simd())) {
  require_possible(workload);
  for (const BufferPlan& buffer : workload.buffers) {
    buffers_.push_back(&memory_.allocate(buffer.name, buffer.bytes, element_bytes(buffer)));
  }
}

Launch EmulatedWorkload::launch_of(const Kernel& kernel,
                                   const std::vector<std::vector<std::byte>>& more) {
  const std::scoped_lock lock(memory_mutex_);
  variables_.place_for(kernel);
  Launch launch;
  launch.kernel = &kernel;
  launch.memory = &memory_;
  launch.cancelled = cancelled_;
  launch.variable_addresses = variables_.addresses();
  const std::size_t given = buffers_.size() + more.size();
  if (given != kernel.parameters.size()) {
    throw ExecutionFailure(fmt::format("the kernel takes {} arguments; the header gives {}",
                                       kernel.parameters.size(), given));
  }
  launch.parameters.resize(static_cast<std::size_t>(kernel.parameter_bytes));
  for (std::size_t i = 0; i < given; ++i) {
    const std::vector<std::byte> value =
        i < buffers_.size() ? bytes_of(buffers_[i]->base) : more[i - buffers_.size()];
    if (value.size() != kernel.parameters[i].bytes) {
      throw ExecutionFailure(
          fmt::format("the kernel's argument {} has {} bytes; the header gives {}", i + 1,
                      kernel.parameters[i].bytes, value.size()));
    }
    std::memcpy(launch.parameters.data() + kernel.parameter_offsets[i], value.data(), value.size());
  }
  const bool takes_address = std::ranges::any_of(kernel.constants, [](const ConstantSlot& slot) {
    return slot.kind == ConstantSlot::Kind::parameter_base;
  });
  if (takes_address) {
    Allocation& copy = memory_.allocate("the kernel's arguments", kernel.parameter_bytes, 1);
    if (!launch.parameters.empty()) {
      std::memcpy(copy.host, launch.parameters.data(), launch.parameters.size());
    }
    copy.why_read_only = "which are read-only";
    launch.parameters_address = copy.base;
  }
  return launch;
}

Launch EmulatedWorkload::launch() {
  Launch launch = launch_of(kernel_, workload_.scalars);
  launch.grid = {workload_.grid.x, workload_.grid.y, workload_.grid.z};
  launch.block = {workload_.block.x, workload_.block.y, workload_.block.z};
  launch.dynamic_shared_bytes = workload_.shared_bytes;
  return launch;
}

void EmulatedWorkload::guard_const_buffers(bool is_guarded) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!workload_.buffers[i].is_const) continue;
    buffers_[i]->why_read_only = is_guarded ? "which the kernel takes as const" : "";
  }
}

const Kernel& EmulatedWorkload::element_kernel(const std::string& entry) {
  const std::scoped_lock lock(memory_mutex_);
  std::unique_ptr<Kernel>& kernel = element_kernels_[entry];
  if (kernel == nullptr) kernel = std::make_unique<Kernel>(lower(*program_, entry, best_simd()));
  return *kernel;
}

void EmulatedWorkload::attach_init() {
  lazy_.clear();
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const BufferPlan& plan = workload_.buffers[i];
    Allocation& buffer = *buffers_[i];
    buffer.written = std::make_unique<TouchedBytes>(buffer.bytes);
    buffer.is_initialised = !plan.init_entry.empty();
    if (!buffer.is_initialised) continue;
    const auto make = [this, &plan, &buffer] {
      Launch launch = launch_of(element_kernel(plan.init_entry), {bytes_of(plan.length)});
      launch.fills = &buffer;
      launch.function = "the init of " + buffer.name;
      return std::make_unique<ElementFunction>(std::move(launch));
    };
    lazy_.push_back(std::make_unique<LazyValues>(buffer, plan.length, make, init_mutex_));
  }
}

void EmulatedWorkload::watch_blocks() {
  for (Allocation* buffer : buffers_) {
    buffer->meetings = std::make_unique<BlockMeetings>(buffer->bytes, buffer->element_bytes);
  }
}

void EmulatedWorkload::end_watch(bool is_partial) {
  for (Allocation* buffer : buffers_) {
    const bool is_shared =
        buffer->has_atomic_updates || (buffer->meetings != nullptr && buffer->meetings->have_met());
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

EmulatedWorkload::Check EmulatedWorkload::make_check(std::size_t index, std::uint64_t begin,
                                                     std::uint64_t end,
                                                     bool retires_stale_readers) {
  const VerificationPlan& plan = workload_.verify[index];
  const Kernel& kernel = element_kernel(plan.check_entry);
  Check check;
  {
    const std::scoped_lock lock(memory_mutex_);
    check.result = &memory_.allocate("the check's result", sizeof(CheckResult), 1);
  }
  const CheckResult nothing;
  std::memcpy(check.result->host, &nothing, sizeof nothing);
  Launch launch = launch_of(kernel, {bytes_of(begin), bytes_of(end), bytes_of(check.result->base)});
  launch.retires_stale_readers = retires_stale_readers;
  launch.function = "verify";
  check.function = std::make_unique<ElementFunction>(std::move(launch));
  return check;
}

namespace {

/// Elements that are judged in about a second.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 25U;

CheckResult result_of(const EmulatedWorkload::Check& check) {
  CheckResult result;
  std::memcpy(&result, check.result->host, sizeof result);
  return result;
}

class Verifier {
 public:
  Verifier(EmulatedWorkload& emulated, const VerificationScope& scope)
      : emulated_(emulated), scope_(scope) {}

  VerificationOutcome run() {
    const auto& plans = emulated_.workload().verify;
    for (const VerificationPlan& plan : plans) result_.elements += plan.length;
    for (std::size_t i = 0; i < plans.size() && !result_.mismatch; ++i) {
      result_.failed = i;
      if (scope_.is_partial || (!scope_.is_exact && plans[i].length > most_elements)) {
        verify_some(i);
      } else {
        verify_all(i);
      }
    }
    return std::move(result_);
  }

 private:
  const VerificationPlan& plan_of(std::size_t index) const {
    return emulated_.workload().verify[index];
  }

  void verify_all(std::size_t index) {
    constexpr std::uint64_t chunk = 1U << 14U;
    const std::uint64_t length = plan_of(index).length;
    const auto threads = static_cast<unsigned>(
        std::clamp<std::uint64_t>(length / chunk, 1, std::max(scope_.threads, 1U)));
    std::vector<EmulatedWorkload::Check> checks;
    for (unsigned i = 0; i < threads; ++i) {
      checks.push_back(emulated_.make_check(index, 0, length, false));
    }
    std::atomic<std::size_t> next = 0;
    share_out(
        length, chunk, threads, [&] { return checks[next++].function.get(); },
        [](ElementFunction* check, std::uint64_t begin, std::uint64_t end) {
          check->run_range(begin, end);
        });
    CheckResult sum;
    for (const EmulatedWorkload::Check& check : checks) {
      const CheckResult result = result_of(check);
      sum.count += result.count;
      sum.first = std::min(sum.first, result.first);
    }
    conclude(index, sum, length);
  }

  /// What executed blocks wrote and, where all were executed, elements here and there.
  void verify_some(std::size_t index) {
    const VerificationPlan& plan = plan_of(index);
    const auto& buffers = emulated_.buffers();
    const auto named = std::ranges::find(buffers, plan.buffer, &Allocation::name);
    if (named == buffers.end() || (*named)->written == nullptr) return;
    const Allocation& buffer = **named;
    const TouchedBytes& written = *buffer.written;
    EmulatedWorkload::Check check = emulated_.make_check(index, 0, plan.length, scope_.is_partial);
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
      const std::uint64_t element = at / buffer.element_bytes;
      if (element >= plan.length) break;
      look_at(element);
      at = written.find_from((element + 1) * buffer.element_bytes);
    }
    constexpr std::uint64_t chosen = std::uint64_t{256} * warp_size;
    for (std::uint64_t i = 0; i < chosen && !scope_.is_partial; ++i) {
      const std::uint64_t element = plan.length / chosen * i;
      const std::uint64_t begin = element * buffer.element_bytes;
      if (written.find_from(begin) >= begin + buffer.element_bytes) look_at(element);
    }
    flush();
    conclude(index, result_of(check), looked_at - check.function->retired());
  }

  void conclude(std::size_t index, const CheckResult& found, std::uint64_t judged) {
    result_.judged += judged;
    if (found.count == 0) return;
    // Shows both sides of the first that fails.
    EmulatedWorkload::Check check =
        emulated_.make_check(index, found.first, found.first + 1, scope_.is_partial);
    check.function->run_range(0, 1);
    CheckResult shown = result_of(check);
    shown.count = found.count;
    shown.first = found.first;
    VerificationPlan plan = plan_of(index);
    const bool is_whole = judged == plan.length;
    plan.length = judged;
    result_.mismatch = describe_mismatch(plan, shown, is_whole ? "" : " that were judged");
  }

  EmulatedWorkload& emulated_;
  const VerificationScope& scope_;
  VerificationOutcome result_;
};

}  // namespace

VerificationOutcome verify_results(EmulatedWorkload& workload, const VerificationScope& scope) {
  return Verifier(workload, scope).run();
}

}  // namespace sweep

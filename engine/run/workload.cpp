#include "engine/run/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <system_error>

#include "engine/jit/program_cache.h"
#include "engine/run/object_plans.h"
#include "engine/spec/named_kernel.h"
#include "engine/text/expression.h"

namespace sweep {
namespace {

/// Throws InputError where the file does not hold what the buffer needs.
FileBytes fitting_bytes(const DataFile& file, const Buffer& buffer, const Bindings& environment) {
  std::string reason = why_not_fitting(file, buffer, environment);
  if (!reason.empty()) throw InputError(file.where, std::move(reason));
  return file.bytes;
}

/// Throws InputError where the expression fails or comes to no place.
Place place_of(const Buffer& buffer, const Bindings& environment) {
  const Value value = buffer.place.evaluate(environment);
  const auto* word = std::get_if<std::string>(&value);
  if (const auto place = word != nullptr ? find_place(*word) : std::nullopt) return *place;
  throw InputError(buffer.place.where(),
                   fmt::format("the place of '{}' is {}; the places are: {}", buffer.name,
                               to_string(value), fmt::join(place_names, ", ")));
}

/// `size_name` has the elements' size where the header does not say it.
BufferPlan plan_buffer(const Buffer& buffer, const std::string& init_entry,
                       const std::string& size_name, const Bindings& environment) {
  const std::int64_t length = buffer.length.evaluate_integer(environment);
  if (length < 1) {
    throw ExecutionFailure(fmt::format("the buffer '{}' has a length of {}: it must be 1 or more",
                                       buffer.name, length));
  }
  const auto size = static_cast<std::int64_t>(
      size_name.empty() ? type_of(buffer.type, environment).bytes : bytes_in(size_name));
  const Arithmetic bytes = apply(Operation::multiply, length, size);
  if (!std::holds_alternative<std::int64_t>(bytes)) {
    throw ExecutionFailure(
        fmt::format("the buffer '{}' of {} elements of {} bytes is larger than "
                    "any memory",
                    buffer.name, length, size));
  }
  BufferPlan plan = {buffer.name, static_cast<std::uint64_t>(length),
                     static_cast<std::uint64_t>(std::get<std::int64_t>(bytes)), init_entry,
                     buffer.is_const};
  if (buffer.file) plan.file = fitting_bytes(*buffer.file, buffer, environment);
  plan.place = place_of(buffer, environment);
  plan.peer = buffer.peer.evaluate_integer(environment);
  return plan;
}

/// What a check is called in messages: "out[i] == 2 * i to within relative: 1e-5".
std::string described(const Verification& verification) {
  if (!verification.tolerance) return verification.condition.text;
  const std::string expected = verification.file ? verification.file->name
                               : !verification.reference.empty()
                                   ? fmt::format("the reference's {}", verification.reference)
                                   : verification.condition.text;
  std::string text = fmt::format("{}[i] == {}", verification.buffer, expected);
  std::string_view before = " to within ";
  for (const Tolerance::Bound& bound : verification.tolerance->bounds) {
    text += fmt::format("{}{}: {}", before, bound.key, bound.value.text);
    before = ", ";
  }
  return text;
}

Extent3 extent_of(const std::vector<Expression>& expressions, std::string_view what,
                  const Bindings& environment) {
  std::array<std::uint32_t, 3> extent = {1, 1, 1};
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::int64_t value = expressions[i].evaluate_integer(environment);
    if (value < 1 || value > std::numeric_limits<std::uint32_t>::max()) {
      throw ExecutionFailure(
          fmt::format("bad launch: {} {} = {}: an extent is at least 1 and at "
                      "most 4294967295",
                      what, expressions[i].text(), value));
    }
    extent.at(i) = static_cast<std::uint32_t>(value);
  }
  return {extent[0], extent[1], extent[2]};
}

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class T>
std::vector<std::byte> integer_bytes(const Argument& argument, std::int64_t value) {
  if (!std::in_range<T>(value)) {
    throw ExecutionFailure(fmt::format("the argument '{}' = {} does not fit the type {}",
                                       argument.name, value, argument.type));
  }
  return bytes_of(static_cast<T>(value));
}

std::vector<std::byte> scalar_bytes(const Argument& argument, const Bindings& environment) {
  const std::string& type = ElementType::find(argument.type)->name();
  if (argument.decimal) {
    return type == "float" ? bytes_of(static_cast<float>(*argument.decimal))
                           : bytes_of(*argument.decimal);
  }
  if (type == "bool") return bytes_of(argument.value.evaluate_boolean(environment));
  const std::int64_t value = argument.value.evaluate_integer(environment);
  if (type == "int8_t") return integer_bytes<std::int8_t>(argument, value);
  if (type == "uint8_t") return integer_bytes<std::uint8_t>(argument, value);
  if (type == "int16_t") return integer_bytes<std::int16_t>(argument, value);
  if (type == "uint16_t") return integer_bytes<std::uint16_t>(argument, value);
  if (type == "int32_t") return integer_bytes<std::int32_t>(argument, value);
  if (type == "uint32_t") return integer_bytes<std::uint32_t>(argument, value);
  if (type == "int64_t") return integer_bytes<std::int64_t>(argument, value);
  if (type == "uint64_t") return integer_bytes<std::uint64_t>(argument, value);
  if (type == "float") return bytes_of(static_cast<float>(value));
  return bytes_of(static_cast<double>(value));
}

std::uint64_t not_negative(const Expression& expression, std::string_view what,
                           const Bindings& environment) {
  const std::int64_t value = expression.evaluate_integer(environment);
  if (value < 0) {
    throw ExecutionFailure(fmt::format("{} {} = {} is negative", what, expression.text(), value));
  }
  return static_cast<std::uint64_t>(value);
}

double hit_ratio_of(const AccessPolicyWindow& window, const Bindings& environment) {
  if (!window.hit_ratio) return 1;
  const auto ratio = evaluate_real(*window.hit_ratio, [&](std::string_view name) {
    const Value* value = environment.find(name);
    return value != nullptr ? real_value(*value) : RealValue();
  });
  if (ratio && *ratio >= 0 && *ratio <= 1) return *ratio;
  throw ExecutionFailure(fmt::format("bad launch: the hit ratio {}{} is not between 0 and 1",
                                     window.hit_ratio->text(),
                                     ratio ? fmt::format(" = {}", *ratio) : ""));
}

AccessPolicyPlan plan_window(const AccessPolicyWindow& window,
                             const std::vector<BufferPlan>& buffers, const Bindings& environment) {
  AccessPolicyPlan plan;
  const auto buffer = std::ranges::find(buffers, window.buffer, &BufferPlan::name);
  plan.buffer = static_cast<std::size_t>(buffer - buffers.begin());
  plan.bytes = not_negative(window.bytes, "the access policy window", environment);
  if (plan.bytes > buffer->bytes) {
    throw ExecutionFailure(
        fmt::format("bad launch: the access policy window has {} bytes, the buffer '{}' has {}",
                    plan.bytes, buffer->name, buffer->bytes));
  }
  plan.hit_ratio = hit_ratio_of(window, environment);
  plan.takes_less = !window.set_aside.has_value();
  plan.set_aside = plan.takes_less
                       ? plan.bytes
                       : not_negative(*window.set_aside, "the set-aside of L2", environment);
  return plan;
}

CopyPlan plan_copy(const EngineCopy& copy, const std::vector<BufferPlan>& buffers,
                   const Bindings& environment) {
  CopyPlan plan;
  plan.bytes = not_negative(copy.bytes, "what the copy engine copies", environment);
  for (const auto& [name, place] : {std::pair(&copy.from, &plan.from), {&copy.to, &plan.to}}) {
    const auto buffer = std::ranges::find(buffers, *name, &BufferPlan::name);
    *place = static_cast<std::size_t>(buffer - buffers.begin());
    if (plan.bytes <= buffer->bytes) continue;
    throw ExecutionFailure(
        fmt::format("bad launch: the copy engine is to copy {} bytes, the buffer '{}' has {}",
                    plan.bytes, buffer->name, buffer->bytes));
  }
  if (is_of_host(buffers[plan.from].place) && is_of_host(buffers[plan.to].place)) {
    throw ExecutionFailure(
        "bad launch: the copy engine is to copy from the host's memory into it, which the driver "
        "does by itself");
  }
  return plan;
}

/// What the launches of a configuration are planned with.
struct LaunchContext {
  const Pattern& pattern;
  const std::vector<BufferPlan>& buffers;
};

void plan_launch(const LaunchContext& context, const Step& step, const Bindings& environment,
                 LaunchPlan& plan) {
  const LaunchShape& shape = step.launch;
  plan.objects = plan_objects(context.pattern, step, context.buffers, environment);
  plan.grid = extent_of(shape.grid, "grid", environment);
  plan.block = extent_of(shape.block, "block", environment);
  plan.shared_bytes = not_negative(shape.shared, "shared memory", environment);
  if (!shape.cluster.empty()) plan.cluster = extent_of(shape.cluster, "cluster", environment);
  if (shape.window) plan.window = plan_window(*shape.window, context.buffers, environment);
  if (shape.copy) plan.copy = plan_copy(*shape.copy, context.buffers, environment);
  if (shape.cooperative) {
    plan.is_cooperative = shape.cooperative->evaluate_boolean(environment);
  }
}

/// Adds a launch like `plan` for each value of the names in `repeat`.
void add_launches(const LaunchContext& context, const Step& step, std::span<const Repeat> repeat,
                  const Bindings& environment, const LaunchPlan& plan,
                  std::vector<LaunchPlan>& launches) {
  if (repeat.empty()) {
    if (launches.size() == most_launches) {
      throw ExecutionFailure(
          fmt::format("bad launch: the steps come to more than {} launches", most_launches));
    }
    plan_launch(context, step, environment, launches.emplace_back(plan));
    return;
  }
  const Repeat& outer = repeat.front();
  std::int64_t value = outer.from.evaluate_integer(environment);
  const std::int64_t last = outer.to.evaluate_integer(environment);
  const std::int64_t change = outer.change.evaluate_integer(environment);
  const bool is_added = outer.by == Operation::add;
  const bool is_falling = is_added ? change < 0 : outer.by == Operation::divide;
  if (is_added ? change == 0 : change < 2 || value < 1) {
    throw ExecutionFailure(
        fmt::format("bad launch: '{}' does not move from {}: {}", outer.name, value,
                    is_added ? "'step' must not be 0"
                             : fmt::format("'{}' takes 2 or more, from 1 or more",
                                           is_falling ? "divide" : "multiply")));
  }
  while (is_falling ? value >= last : value <= last) {
    if (!std::in_range<std::int32_t>(value)) {
      throw ExecutionFailure(
          fmt::format("bad launch: '{}' is {}, which does not fit an int", outer.name, value));
    }
    Bindings inner = environment;
    inner.set(outer.name, value);
    LaunchPlan repeated = plan;
    repeated.repeated.push_back(static_cast<std::int32_t>(value));
    add_launches(context, step, repeat.subspan(1), inner, repeated, launches);
    const auto next = apply(outer.by, value, change);
    if (!std::holds_alternative<std::int64_t>(next)) break;
    // Zero divided stays what it is.
    if (value == std::exchange(value, std::get<std::int64_t>(next))) break;
  }
}

PreparedPoint prepare(const Configuration& configuration, const CompileOutcome& outcome) {
  PreparedPoint point;
  if (const auto* failed = std::get_if<CompileFailure>(&outcome)) {
    point.failure = render(failed->errors);
    return point;
  }
  const auto& compiled = std::get<CompiledConfiguration>(outcome);
  point.warnings = compiled.warnings;
  try {
    const UsefulTraffic useful = useful_traffic_of(configuration);
    point.workload = make_workload(configuration, compiled);
    point.workload->useful = useful;
  } catch (const ExecutionFailure& error) {
    point.failure = error.what();
  } catch (const InputError& error) {
    point.failure = render(error.diagnostics());
  }
  return point;
}

}  // namespace

UsefulTraffic useful_traffic_of(const Configuration& configuration) {
  const Bindings environment = environment_of(configuration);
  const UsefulBytes& useful = configuration.pattern->useful;
  UsefulTraffic traffic = {not_negative(useful.read, "useful read", environment) +
                               not_negative(useful.write, "useful write", environment),
                           not_negative(useful.shared, "useful shared", environment)};
  for (const Buffer& buffer : configuration.pattern->buffers) {
    traffic.place = place_of(buffer, environment);
    traffic.peer = buffer.peer.evaluate_integer(environment);
    if (is_far(traffic.place)) return traffic;
  }
  traffic.place = Place::device;
  return traffic;
}

namespace {

/// The space's patterns that name a place for a buffer: the others need not be looked at
/// configuration by configuration.
std::set<const Pattern*> placing_patterns(const Space& space) {
  std::set<const Pattern*> all;
  for (const Configuration& configuration : space.configurations) {
    all.insert(configuration.pattern.get());
  }
  std::erase_if(all, [](const Pattern* pattern) { return !places_buffers(*pattern); });
  return all;
}

}  // namespace

bool places_buffers(const Pattern& pattern) {
  return !std::ranges::all_of(pattern.buffers, [](const Buffer& buffer) {
    return buffer.place.names().empty() && place_of(buffer, {}) == Place::device;
  });
}

bool uses_peers(const Space& space) {
  const std::set<const Pattern*> placing = placing_patterns(space);
  return std::ranges::any_of(space.configurations, [&](const Configuration& configuration) {
    if (!placing.contains(configuration.pattern.get())) return false;
    const Bindings environment = environment_of(configuration);
    return std::ranges::any_of(configuration.pattern->buffers, [&](const Buffer& buffer) {
      return is_of_peer(place_of(buffer, environment));
    });
  });
}

std::vector<Removed> leave_out_unplaced(Space& space, const Device& device) {
  std::vector<Removed> reasons;
  const std::set<const Pattern*> placing = placing_patterns(space);
  std::erase_if(space.configurations, [&](const Configuration& configuration) {
    if (!placing.contains(configuration.pattern.get())) return false;
    const Bindings environment = environment_of(configuration);
    for (const Buffer& buffer : configuration.pattern->buffers) {
      std::string reason = why_not_there(place_of(buffer, environment),
                                         buffer.peer.evaluate_integer(environment), device);
      if (reason.empty()) continue;
      const auto known = std::ranges::find(reasons, reason, &Removed::constraint);
      if (known == reasons.end()) {
        reasons.push_back({std::move(reason), "the device", 1});
      } else {
        ++known->count;
      }
      return true;
    }
    return false;
  });
  space.removed.insert(space.removed.end(), reasons.begin(), reasons.end());
  return reasons;
}

namespace {

std::shared_ptr<const ReferencePlan> plan_reference(const Configuration& configuration,
                                                    const CompiledConfiguration& compiled) {
  const Configuration reference = reference_of(configuration);
  try {
    auto plan = std::make_shared<ReferencePlan>();
    plan->key =
        hash_name(program_key(*reference.pattern, {}) + parameter_bytes(reference.parameters));
    plan->workload = make_workload(reference, compiled);
    return plan;
  } catch (const ExecutionFailure& failure) {
    throw ExecutionFailure(std::string(in_reference) + failure.what());
  }
}

}  // namespace

Workload make_workload(const Configuration& configuration, const CompiledConfiguration& compiled) {
  const Pattern& pattern = *configuration.pattern;
  const Bindings environment = environment_of(configuration);
  const auto has_size = [&](const Buffer& buffer, const std::string& name) {
    return pattern.knows_size(buffer.type) ? name.empty() : bytes_in(name) > 0;
  };
  // A compiled program may come from a file.
  if (compiled.entries.init.size() != pattern.buffers.size() ||
      !std::ranges::equal(pattern.buffers, compiled.entries.sizes, has_size) ||
      compiled.entries.check.size() != pattern.verify.size() ||
      compiled.entries.constants.size() != pattern.constants.size() ||
      compiled.entries.steps.size() != pattern.steps.size() ||
      (compiled.reference != nullptr) != (pattern.reference != nullptr)) {
    throw ExecutionFailure(
        "the program from the cache is another pattern's; 'sweep cache clear' empties the cache");
  }
  Workload workload;
  workload.program = compiled.program;
  if (compiled.reference != nullptr) {
    workload.reference = plan_reference(configuration, *compiled.reference);
  }
  for (std::size_t i = 0; i < pattern.buffers.size(); ++i) {
    workload.buffers.push_back(plan_buffer(pattern.buffers[i], compiled.entries.init[i],
                                           compiled.entries.sizes[i], environment));
  }
  for (const Argument& argument : pattern.arguments) {
    workload.scalars.push_back(scalar_bytes(argument, environment));
  }
  for (std::size_t i = 0; i < pattern.verify.size(); ++i) {
    const Verification& each = pattern.verify[i];
    const auto place = std::ranges::find(pattern.buffers, each.buffer, &Buffer::name);
    const BufferPlan& plan =
        workload.buffers[static_cast<std::size_t>(place - pattern.buffers.begin())];
    VerificationPlan& check = workload.verify.emplace_back();
    check = {compiled.entries.check[i], plan.length, each.buffer, described(each)};
    if (!each.has_array()) continue;
    check.expected = {"the expected " + each.buffer, plan.length, plan.bytes, "", true};
    if (each.file) {
      check.expected.file = fitting_bytes(*each.file, *place, environment);
      continue;
    }
    check.reference = each.reference;
    const Buffer& holder = *std::ranges::find(pattern.buffers, each.reference, &Buffer::name);
    const std::string reason = why_not_fitting(holder, *place, environment);
    if (!reason.empty()) throw ExecutionFailure(reason);
    check.expected.bytes = plan.length * type_of(holder.type, environment).bytes;
  }
  for (const ConstantNames& names : compiled.entries.constants) {
    workload.constants.push_back({names.symbol, names.fill});
  }
  workload.launches.clear();
  for (std::size_t i = 0; i < pattern.steps.size(); ++i) {
    const Step& step = pattern.steps[i];
    LaunchPlan plan;
    plan.step = kernel_name(pattern, step);
    plan.kernel_entry = compiled.entries.steps[i].kernel;
    plan.packing_entry = compiled.entries.steps[i].pack;
    add_launches({pattern, workload.buffers}, step, step.repeat, environment, plan,
                 workload.launches);
  }
  if (workload.launches.empty()) {
    throw ExecutionFailure("bad launch: none of the steps is launched: 'repeat' has no values");
  }
  return workload;
}

void RecentWorkloads::add(std::size_t point_index, const Workload& workload) {
  // As many as a sweep's small page has; a batch of programs has some hundred KiB for all of it.
  constexpr std::size_t most = 256;
  constexpr std::size_t most_bytes = std::size_t{4} << 20U;
  if (workload.program->cubin.size() + workload.program->ptx.size() > most_bytes) return;
  entries_.push_front({point_index, workload});
  if (entries_.size() > most) entries_.pop_back();
}

void RecentWorkloads::add(const RecentWorkloads& others) {
  entries_.insert(entries_.end(), others.entries_.begin(), others.entries_.end());
}

const Workload* RecentWorkloads::find(std::size_t point_index) const {
  for (const auto& [index, workload] : entries_) {
    if (index == point_index) return &workload;
  }
  return nullptr;
}

EmulateAhead::~EmulateAhead() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    jobs_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

template <class Result>
std::future<Result> EmulateAhead::give(Workload workload, const MeasureRules& rules,
                                       Result (*result_of)(Measurement)) {
  using Work = std::packaged_task<Result(std::unique_ptr<Backend>&)>;
  Work work(
      [this, executed = std::move(workload), rules, result_of](std::unique_ptr<Backend>& own) {
        if (own == nullptr) own = make_backend_(cancelled_);
        return result_of(LocalMeasurer(*own).measure(executed, rules));
      });
  std::future<Result> result = work.get_future();
  {
    const std::lock_guard lock(mutex_);
    start_thread();
    jobs_.emplace_back(
        [work = std::move(work)](std::unique_ptr<Backend>& own) mutable { work(own); });
  }
  changed_.notify_one();
  return result;
}

std::future<Observation> EmulateAhead::count(const Workload& workload, const MeasureRules& rules) {
  Workload counted = workload;
  // What is timed is verified there, and all of it.
  counted.verify.clear();
  return give<Observation>(std::move(counted), rules, [](Measurement measurement) -> Observation {
    PointRecord& point = measurement.point;
    if (point.status == PointStatus::failed) {
      return {{}, {std::string(not_counted) + point.reason}};
    }
    return {std::move(point.metrics), std::move(point.notes)};
  });
}

std::future<Measurement> EmulateAhead::measure(const Workload& workload,
                                               const MeasureRules& rules) {
  return give<Measurement>(workload, rules, [](Measurement measurement) { return measurement; });
}

/// One more, up to the most.
void EmulateAhead::start_thread() {
  if (threads_.size() == most_threads_) return;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;
    most_threads_ = threads_.size();  // fewer will do
  }
}

bool EmulateAhead::has_room() {
  constexpr std::size_t most_waiting = 1024;
  const std::lock_guard lock(mutex_);
  try {
    if (threads_.empty()) start_thread();
  } catch (const std::system_error&) {
    return false;
  }
  return jobs_.size() < most_waiting;
}

void EmulateAhead::work() {
  std::unique_ptr<Backend> own;
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return cancelled_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job(own);
  }
}

void PreparedPoints::add(std::span<const Configuration* const> configurations) {
  remaining_.insert(remaining_.end(), configurations.begin(), configurations.end());
  compiled_.submit(configurations);
}

void PreparedPoints::take_one() {
  PreparedPoint point = prepare(*remaining_.front(), compiled_.next());
  remaining_.pop_front();
  if (emulators_ != nullptr && point.workload && emulators_->has_room()) {
    if (emulators_->use() == EmulateAhead::Use::measure) {
      point.measured = emulators_->measure(*point.workload, rules_);
    } else {
      point.counts = emulators_->count(*point.workload, rules_);
    }
  }
  ahead_.push_back(std::move(point));
}

void PreparedPoints::take_ready() {
  constexpr std::size_t most_ahead = 256;  // for as many emulators as a large machine has cores
  while (ahead_.size() < most_ahead && !remaining_.empty() && compiled_.is_ready()) take_one();
}

PreparedPoint PreparedPoints::next() {
  if (ahead_.empty()) take_ready();
  if (ahead_.empty()) take_one();
  PreparedPoint point = std::move(ahead_.front());
  ahead_.pop_front();
  return point;
}

}  // namespace sweep

#include "engine/run/compile_pool.h"

#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <system_error>
#include <tuple>

#include "engine/jit/program_cache.h"
#include "engine/spec/compile_rules.h"

namespace sweep {
namespace {

/// The fixed part of a batch of the size aimed at.
constexpr double fixed_share = 0.05;
/// How much less a program counts than the one after it: patterns and loads change.
constexpr double forgetting = 0.95;
/// Before sizes differ, the fixed part is taken to be that of so many configurations.
constexpr double usual_fixed = 4;
/// A batch that is this large is worth its fixed part whatever it is.
constexpr double most_for_fixed = 16;
/// How far the costs that were learnt are trusted beyond the sizes they were learnt from.
constexpr std::size_t growth = 4;
/// How much of its share a compiler takes at once: the rest evens out what was estimated wrongly.
constexpr double taken_share = 0.9;

/// Starting a process takes as long as compiling some dozens of configurations.
constexpr std::size_t configurations_per_process = 32;
/// So many are started for the first configurations, of however few.
constexpr unsigned first_processes = 4;

unsigned compilers_for(const CompileSettings& settings, std::size_t configurations) {
  const unsigned most = settings.compilers != 0 ? settings.compilers
                                                : std::max(std::thread::hardware_concurrency(), 1U);
  const std::size_t useful =
      std::max<std::size_t>(first_processes, configurations / configurations_per_process);
  return static_cast<unsigned>(std::min<std::size_t>({most, useful, configurations}));
}

template <class Outcome>
std::vector<std::optional<CompileOutcome>> as_outcomes(std::vector<Outcome> all) {
  return {std::make_move_iterator(all.begin()), std::make_move_iterator(all.end())};
}

}  // namespace

void BatchSize::begin(std::size_t configurations, double now) {
  ++begun_;
  under_way_.push_back({configurations, now});
}

void BatchSize::learn(std::size_t configurations, double seconds) {
  const auto done = std::ranges::find(under_way_, configurations, &Program::configurations);
  if (done != under_way_.end()) under_way_.erase(done);
  if (configurations == 0 || !(seconds >= 0)) return;
  const auto size = static_cast<double>(configurations);
  for (double* sum : {&weight_, &sizes_, &seconds_, &squares_, &products_}) *sum *= forgetting;
  weight_ += 1;
  sizes_ += size;
  seconds_ += seconds;
  squares_ += size * size;
  products_ += size * seconds;
  largest_seen_ = std::max(largest_seen_, configurations);
}

double BatchSize::seconds_each() const {
  if (weight_ <= 0) return 0;
  const double mean_size = sizes_ / weight_;
  const double mean_seconds = seconds_ / weight_;
  const double variance = squares_ / weight_ - mean_size * mean_size;
  // Two sizes half a configuration apart say nothing.
  if (variance < 0.25) return mean_seconds / (mean_size + usual_fixed);
  const double slope = (products_ / weight_ - mean_size * mean_seconds) / variance;
  // Noise may tilt the line; a configuration costs something, and no more than its share.
  return std::clamp(slope, 0.05 * mean_seconds / mean_size, mean_seconds / mean_size);
}

double BatchSize::fixed_seconds() const {
  if (weight_ <= 0) return 0;
  return std::max(0.0, (seconds_ - seconds_each() * sizes_) / weight_);
}

/// All that is not done, evenly divided.
std::size_t BatchSize::share_of(std::size_t remaining, unsigned compilers, double now) const {
  const std::size_t parts = std::max(compilers, 1U);
  const std::size_t fair = (remaining + parts - 1) / parts;
  const double each = seconds_each();
  if (each <= 0 || parts == 1) return fair;
  double under_way = 0;  // seconds
  for (const Program& program : under_way_) {
    const double whole = fixed_seconds() + each * static_cast<double>(program.configurations);
    under_way += std::max(0.0, whole - (now - program.begun));
  }
  const double not_done = static_cast<double>(remaining) + under_way / each;
  const auto share = std::ceil(taken_share * not_done / static_cast<double>(parts));
  // A wrong estimate of what is under way must not leave the others without work.
  return static_cast<std::size_t>(std::min(share, 2.0 * static_cast<double>(fair)));
}

std::size_t BatchSize::next(std::size_t remaining, unsigned compilers, double now) const {
  std::size_t size = first << std::min(begun_, early_batches);
  double fixed_as_sizes = 1;
  if (const double each = seconds_each(); each > 0) {
    fixed_as_sizes = fixed_seconds() / each;
    const double wanted = std::ceil(fixed_as_sizes * (1 - fixed_share) / fixed_share);
    size = static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(largest)));
    size = std::min(std::max(size, first), std::max(unlearnt, growth * largest_seen_));
  }
  const auto worthwhile =
      static_cast<std::size_t>(std::clamp(std::ceil(fixed_as_sizes), 1.0, most_for_fixed));
  const std::size_t share = std::max(share_of(remaining, compilers, now), worthwhile);
  return std::clamp<std::size_t>(std::min(size, share), 1, std::max<std::size_t>(remaining, 1));
}

CompileCandidate CandidateMaker::make(const Configuration& configuration, std::size_t place) {
  const Pattern* pattern = configuration.pattern.get();
  const auto [known, is_new] = dependences_.try_emplace(pattern);
  if (is_new) known->second = text_dependence(*pattern);
  const TextDependence& dependence = known->second;
  const std::hash<std::string> hash;
  CompileCandidate candidate{.place = place, .pattern = pattern};
  try {
    candidate.options = hash(fmt::format("{}", fmt::join(compiler_options(configuration), " ")));
  } catch (const InputError&) {
    // Compiling says what is wrong.
  }
  candidate.body = hash(values_of(configuration, dependence.body));
  for (const auto* functions : {&dependence.init, &dependence.check}) {
    for (const FunctionDependence& function : *functions) {
      if (function.needs_body || function.parameters.empty()) continue;
      candidate.functions.push_back(hash(values_of(configuration, function.parameters)));
    }
  }
  return candidate;
}

std::vector<std::size_t> choose_batch(std::span<const CompileCandidate> candidates,
                                      std::size_t size) {
  /// A candidate and how far it is from the first.
  struct Ranked {
    std::size_t differing = 0;  // functions that it does not share with the first
    std::size_t group = 0;      // the first place of those that have all functions in common
    bool has_other_body = false;
    std::size_t place = 0;
  };
  const CompileCandidate& first = candidates.front();
  std::map<std::vector<std::size_t>, std::size_t> groups;
  std::vector<Ranked> ranked;
  for (const CompileCandidate& one : candidates) {
    if (!one.can_share_program(first)) continue;
    const auto differing =
        std::transform_reduce(one.functions.begin(), one.functions.end(), first.functions.begin(),
                              std::size_t{0}, std::plus<>(), std::not_equal_to<>());
    const std::size_t group = groups.try_emplace(one.functions, one.place).first->second;
    ranked.push_back({differing, group, one.body != first.body, one.place});
  }
  std::ranges::sort(ranked, {}, [](const Ranked& one) {
    return std::tuple(one.differing, one.group, one.has_other_body, one.place);
  });
  std::size_t count = std::clamp<std::size_t>(size, 1, ranked.size());
  if (count < ranked.size()) {
    // No group's small part is torn off.
    constexpr std::size_t smallest_part = 4;  // of a batch, as a fraction: 1 / 4
    std::size_t begin = count;
    while (begin > 0 && ranked[begin - 1].group == ranked[count].group) --begin;
    if (begin > 0 && (count - begin) * smallest_part < count) count = begin;
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < count; ++i) places.push_back(ranked[i].place);
  std::ranges::sort(places);
  return places;
}

void lower_own_priority() {
  constexpr int nicer = 5;
  // A priority is a thread's own on Linux; 0 is the one that asks.
  const int own = getpriority(PRIO_PROCESS, 0);
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), own + nicer);
}

void CompileQueue::submit(std::span<const Configuration* const> configurations,
                          unsigned compilers) {
  const std::lock_guard lock(mutex_);
  configurations_.insert(configurations_.end(), configurations.begin(), configurations.end());
  open_ += configurations.size();
  compilers_ = std::max(compilers_, compilers);
  work_.notify_all();
}

std::size_t CompileQueue::open() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

/// How many may be admitted ahead of the one that is taken next.
std::size_t CompileQueue::most_ahead() const {
  constexpr std::size_t fewest = 512;
  return std::max(fewest, 2 * BatchSize::largest * compilers_);
}

/// Not for a few at a time: they would become small batches.
bool CompileQueue::can_admit() const {
  const std::size_t rest = submitted() - admitted_;
  return rest > 0 && room() >= std::min(rest, BatchSize::largest);
}

/// Gives the places of those that are admitted now, as many as there is room for.
std::vector<std::size_t> CompileQueue::admit(std::size_t most) {
  std::vector<std::size_t> places(std::min({most, room(), submitted() - admitted_}));
  std::iota(places.begin(), places.end(), admitted_);
  admitted_ += places.size();
  outcomes_.resize(admitted_ - taken_);
  return places;
}

void CompileQueue::make_pending(std::size_t place) {
  pending_.push_back(candidates_.make(*configurations_[place - taken_], place));
}

CompileQueue::Task CompileQueue::take_batch(std::size_t size) {
  Task task;
  if (batch_size_.is_early()) {
    for (const CompileCandidate& one : std::span(pending_).first(std::min(size, pending_.size()))) {
      if (one.can_share_program(pending_.front())) task.places.push_back(one.place);
    }
    // Those that were not to have it may take the next one.
    work_.notify_all();
  } else {
    task.places = choose_batch(pending_, size);
  }
  batch_size_.begin(task.places.size(), seconds_since(begin_));
  std::erase_if(pending_, [&](const CompileCandidate& one) {
    return std::ranges::binary_search(task.places, one.place);
  });
  return task;
}

std::optional<CompileQueue::Task> CompileQueue::try_take(bool has_started) {
  while (!looks_up_ && can_admit()) {
    for (const std::size_t place : admit(submitted())) make_pending(place);
    // There may be a batch for others in them too.
    work_.notify_all();
  }
  const std::size_t not_admitted = submitted() - admitted_;
  const std::size_t remaining = pending_.size() + not_admitted;
  if (remaining == 0) return std::nullopt;
  const std::size_t size = batch_size_.next(remaining, compilers_, seconds_since(begin_));
  if (pending_.size() < size && can_admit()) {
    // At first enough for the early batches.
    Task task{Task::Kind::look_up, admit(admitted_ == 0 ? 32 : 256)};
    looked_up_.push_back(task.places.front());
    return task;
  }
  if (pending_.empty()) return std::nullopt;
  const std::size_t last = pending_[std::min(size, pending_.size()) - 1].place;
  const bool may_miss_some =
      std::ranges::any_of(looked_up_, [&](std::size_t begin) { return begin < last; });
  // Not before it is known which come first.
  if (batch_size_.is_early() && (!has_started || may_miss_some)) return std::nullopt;
  // Too few for a batch can wait for others as long as they are not needed soon.
  const bool is_needed_soon = pending_.front().place < taken_ + most_ahead() / 2;
  if (pending_.size() < size && not_admitted > 0 && !is_needed_soon) return std::nullopt;
  return take_batch(size);
}

std::optional<CompileQueue::Task> CompileQueue::take_task(bool has_started) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stopped_ || failure_ != nullptr) return std::nullopt;
    if (auto task = try_take(has_started)) {
      for (const std::size_t place : task->places) {
        task->configurations.push_back(*configurations_[place - taken_]);
      }
      return task;
    }
    work_.wait(lock);
  }
}

void CompileQueue::deliver(const Task& task, std::vector<std::optional<CompileOutcome>> outcomes,
                           double seconds) {
  const std::lock_guard lock(mutex_);
  if (task.kind == Task::Kind::look_up) std::erase(looked_up_, task.places.front());
  if (task.kind == Task::Kind::compile) batch_size_.learn(task.places.size(), seconds);
  for (std::size_t i = 0; i < task.places.size(); ++i) {
    const std::size_t place = task.places[i];
    if (i < outcomes.size() && outcomes[i]) {
      outcomes_[place - taken_] = std::move(outcomes[i]);
      --open_;
    } else {
      make_pending(place);
    }
  }
  // Several look-ups may be under way at a time.
  std::ranges::sort(pending_, {}, &CompileCandidate::place);
  ready_.notify_all();
  work_.notify_all();
}

bool CompileQueue::is_ready() const {
  const std::lock_guard lock(mutex_);
  return has_outcome();
}

bool CompileQueue::has_failed() const {
  const std::lock_guard lock(mutex_);
  return failure_ != nullptr;
}

CompileOutcome CompileQueue::next(const std::atomic<bool>* stop) {
  std::unique_lock lock(mutex_);
  if (configurations_.empty()) throw std::out_of_range("no configuration is left");
  // A signal's handler can set the flag, but not wake anybody up.
  constexpr std::chrono::milliseconds stop_notice{50};
  while (
      !ready_.wait_for(lock, stop_notice, [&] { return has_outcome() || failure_ != nullptr; })) {
    if (stop != nullptr && *stop) throw CompilingStopped();
  }
  if (!has_outcome()) std::rethrow_exception(failure_);
  CompileOutcome outcome = std::move(*outcomes_.front());
  outcomes_.pop_front();
  configurations_.pop_front();
  ++taken_;
  if (admitted_ < submitted()) work_.notify_one();
  return outcome;
}

void CompileQueue::fail(std::exception_ptr what) {
  const std::lock_guard lock(mutex_);
  if (failure_ == nullptr) failure_ = std::move(what);
  ready_.notify_all();
  work_.notify_all();
}

void CompileQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  work_.notify_all();
}

int code_capability(const Device& device, const Nvrtc& nvrtc) {
  const int oldest = nvrtc.architectures().front();
  return device.is_emulated() ? std::max(device.compute_capability, oldest)
                              : device.compute_capability;
}

CompileStatistics& CompileStatistics::operator+=(const CompileStatistics& more) {
  configurations += more.configurations;
  from_cache += more.from_cache;
  programs += more.programs;
  compiler_seconds += more.compiler_seconds;
  wall_seconds += more.wall_seconds;
  compilers = std::max(compilers, more.compilers);
  alone.insert(alone.end(), more.alone.begin(), more.alone.end());
  return *this;
}

CompilePool::CompilePool(const CompileSettings& settings)
    : settings_(settings),
      compiler_(settings.nvrtc, settings.compute_capability),
      queue_(settings.cache != nullptr) {}

CompilePool::CompilePool(const CompileSettings& settings,
                         std::span<const Configuration> configurations)
    : CompilePool(settings) {
  submit(pointers_to(configurations));
}

CompilePool::~CompilePool() {
  stopped_ = true;
  queue_.stop();
  for (CompilerProcess& process : processes_) process.stop();
  for (std::thread& thread : threads_) thread.join();
}

void CompilePool::submit(std::span<const Configuration* const> configurations) {
  const unsigned compilers = compilers_for(settings_, queue_.open() + configurations.size());
  queue_.submit(configurations, compilers);
  while (threads_.size() < compilers) {
    // Those that come later find the small first batches taken.
    const bool is_first = threads_.size() < first_processes;
    CompilerProcess& process = processes_.emplace_back(*settings_.processes);
    ++at_work_;
    try {
      threads_.emplace_back([this, &process, is_first] { work(process, is_first); });
    } catch (const std::system_error&) {
      --at_work_;
      if (threads_.empty()) throw;
      break;  // fewer will do
    }
  }
}

CompileStatistics CompilePool::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

/// The life of a thread. One of the first ones need not have started its process to be given what
/// is needed soon.
void CompilePool::work(CompilerProcess& process, bool is_first) {
  lower_own_priority();
  try {
    bool has_started = is_first;
    while (const auto task = queue_.take_task(has_started)) {
      const std::span<const Configuration> batch = task->configurations;
      if (task->kind == CompileQueue::Task::Kind::look_up) {
        queue_.deliver(*task, look_up(batch));
        continue;
      }
      try {
        // Not before it is needed: all may come from the cache.
        process.prepare();
        has_started = true;
        double seconds = CompileQueue::not_timed;
        Outcomes outcomes = settings_.cache != nullptr
                                ? compile_shared(batch, process, seconds)
                                : as_outcomes(compile(batch, process, seconds));
        queue_.deliver(*task, std::move(outcomes), seconds);
      } catch (const CompilerStartFailure&) {
        queue_.deliver(*task, {});
        throw;
      }
    }
  } catch (const CompilingStopped&) {
    // Nobody waits for the outcomes.
  } catch (const CompilerStartFailure&) {
    // As long as others have a process, fewer will do.
    if (--at_work_ == 0) queue_.fail(std::current_exception());
  } catch (...) {
    queue_.fail(std::current_exception());
  }
}

/// What the cache has.
CompilePool::Outcomes CompilePool::look_up(std::span<const Configuration> configurations) {
  auto found = settings_.cache->find(configurations, compiler_.identity());
  const auto count = std::ranges::count_if(found, [](const auto& one) { return one.has_value(); });
  const std::lock_guard lock(mutex_);
  statistics_.from_cache += static_cast<std::size_t>(count);
  statistics_.wall_seconds = seconds_since(begin_);
  return as_outcomes(std::move(found));
}

/// Compiles a batch, but for what the cache has or another process with the same cache is
/// compiling, which it waits for; keeps what it compiles. Times the whole batch or nothing.
CompilePool::Outcomes CompilePool::compile_shared(std::span<const Configuration> batch,
                                                  CompilerProcess& process, double& seconds) {
  // What takes longer is compiled twice rather than waited for.
  constexpr std::chrono::seconds patience(20);
  Outcomes outcomes(batch.size());
  // Gives those without an outcome that are `wanted` what `make` makes of them.
  const auto fill = [&](const auto& wanted, const auto& make) {
    std::vector<std::size_t> indices;
    std::vector<Configuration> some;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (outcomes[i] || !wanted(i)) continue;
      indices.push_back(i);
      some.push_back(batch[i]);
    }
    if (some.empty()) return;
    Outcomes made = make(some);
    for (std::size_t i = 0; i < indices.size(); ++i) outcomes[indices[i]] = std::move(made[i]);
  };
  const auto find = [&](const std::vector<Configuration>& some) { return look_up(some); };
  const auto compile_and_keep = [&](const std::vector<Configuration>& some) {
    double taken = 0;
    std::vector<CompileOutcome> compiled = compile(some, process, taken);
    if (some.size() == batch.size()) seconds = taken;
    settings_.cache->add(some, compiled, compiler_.identity());
    return as_outcomes(std::move(compiled));
  };
  const auto all = [](std::size_t /*index*/) { return true; };
  CacheClaims claims = settings_.cache->claim(batch, compiler_.identity());
  fill(all, find);
  fill([&](std::size_t i) { return claims.holds(i); }, compile_and_keep);
  if (std::ranges::all_of(outcomes, [](const auto& one) { return one.has_value(); })) {
    return outcomes;
  }
  claims.wait_for_others(patience, stopped_);
  fill(all, find);
  fill(all, compile_and_keep);
  return outcomes;
}

std::vector<CompileOutcome> CompilePool::compile(std::span<const Configuration> batch,
                                                 CompilerProcess& process, double& seconds) {
  const CompilerProcess::Work before = process.work();
  const auto begin = std::chrono::steady_clock::now();
  std::vector<CompileOutcome> outcomes = compiler_.compile(batch, &process);
  seconds = seconds_since(begin);
  const std::lock_guard lock(mutex_);
  statistics_.configurations += batch.size();
  statistics_.programs += process.work().programs - before.programs;
  statistics_.compiler_seconds += process.work().seconds - before.seconds;
  statistics_.wall_seconds = seconds_since(begin_);
  if (before.programs == 0) ++statistics_.compilers;
  const auto alone = compiler_.compiled_alone();
  statistics_.alone.assign(alone.begin(), alone.end());
  return outcomes;
}

}  // namespace sweep

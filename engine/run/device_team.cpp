#include "engine/run/device_team.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <future>
#include <list>
#include <memory>
#include <system_error>
#include <thread>

#include "engine/run/run_stage.h"

namespace sweep {

void DeviceTeam::take_turn() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !is_taken_; });
  is_taken_ = true;
}

void DeviceTeam::give_turn() {
  {
    const std::lock_guard lock(mutex_);
    is_taken_ = false;
  }
  changed_.notify_all();
}

void DeviceTeam::wait() {
  std::unique_lock lock(mutex_);
  is_taken_ = false;
  changed_.notify_all();
  changed_.wait(lock, [this, seen = news_] { return news_ != seen && !is_taken_; });
  is_taken_ = true;
}

void DeviceTeam::tell() {
  {
    const std::lock_guard lock(mutex_);
    ++news_;
  }
  changed_.notify_all();
}

namespace {

/// A device's work, and what became of it.
struct DeviceWork {
  std::unique_ptr<RunStage> own = nullptr;  ///< null: the run's first
  bool is_out = false;
  std::thread thread = {};
};

}  // namespace

void on_every_device(RunStage& stage, const std::function<void(RunStage&)>& work) {
  DeviceTeam& team = *stage.team;
  std::exception_ptr error;
  const auto work_unless_lost = [&](RunStage& own, DeviceWork& of) {
    try {
      work(own);
    } catch (const DeviceError& lost) {
      of.is_out = true;
      if (team.devices == 1) throw;
      --team.devices;
      own.tell_state("is out");
      own.note(fmt::format("GPU {} has fallen out, and the others do its part: {}",
                           own.measurer->device().index, lost.what()));
    }
  };
  const auto guarded = [&](RunStage& own, DeviceWork& of) {
    try {
      work_unless_lost(own, of);
    } catch (...) {
      if (!error) error = std::current_exception();
      team.is_over = true;
    }
    team.tell();
  };
  std::list<DeviceWork> all(1);
  stage.watch.stop();
  const PhaseTimes before = stage.summary.timing.phases;
  for (const DeviceSeat& further : stage.further) {
    DeviceWork& each = all.emplace_back();
    each.own.reset(new RunStage{stage.request, stage.compile, further.measurer, stage.store,
                                stage.observer, stage.stop});
    RunStage& own = *each.own;
    own.number = further.number;
    own.team = stage.team;
    own.summary.run = stage.summary.run;
    own.counts = stage.counts;
    own.warnings = stage.warnings;
    own.watch.begin_with(stage.watch);
  }
  for (DeviceWork& each : all) {
    if (each.own == nullptr) continue;
    const auto its_work = [&] { team.in_turn([&] { guarded(*each.own, each); }); };
    try {
      each.thread = std::thread(its_work);
    } catch (const std::system_error& failure) {
      each.is_out = true;
      --team.devices;
      stage.note(fmt::format("GPU {} takes no part, since no thread can be started for it: {}",
                             each.own->measurer->device().index, failure.what()));
    }
  }
  guarded(stage, all.front());
  team.aside([&] {
    for (DeviceWork& each : all) {
      if (each.thread.joinable()) each.thread.join();
    }
  });
  // The time of each is a part of the whole.
  stage.watch.stop();
  PhaseTimes& sum = stage.summary.timing.phases;
  for (DeviceWork& each : all) {
    if (each.own == nullptr) continue;
    each.own->watch.stop();
    stage.summary += each.own->summary;
  }
  for (std::size_t i = 0; i < phase_count; ++i) {
    sum.seconds.at(i) = before.seconds.at(i) + (sum.seconds.at(i) - before.seconds.at(i)) /
                                                   static_cast<double>(all.size());
  }
  std::erase_if(stage.further, [&](const DeviceSeat& seat) {
    return std::ranges::any_of(all, [&](const DeviceWork& each) {
      return each.is_out && each.own != nullptr && each.own->number == seat.number;
    });
  });
  if (error) std::rethrow_exception(error);
  if (!all.front().is_out) return;
  stage.measurer = stage.further.front().measurer;
  stage.number = stage.further.front().number;
  stage.further.erase(stage.further.begin());
}

namespace {

/// Four of the run's points that were timed, from quick ones to slow ones, by their place and with
/// their seconds.
std::vector<std::pair<std::size_t, double>> common_points(const RunStage& stage) {
  constexpr std::size_t count = 4;
  std::vector<std::pair<std::size_t, double>> timed;
  stage.store.visit_points(stage.summary.run, [&](const StoredPoint& stored) {
    const auto time = measured_figure(stored.point, "time");
    if (stored.point.status != PointStatus::ok || !time || !(*time > 0)) return;
    timed.emplace_back(static_cast<std::size_t>(stored.ordinal), *time * 1e-6);
  });
  std::ranges::sort(timed, {}, &std::pair<std::size_t, double>::second);
  if (timed.size() <= count) return timed;
  std::vector<std::pair<std::size_t, double>> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(timed[(2 * i + 1) * timed.size() / (2 * count)]);
  }
  return chosen;
}

/// The time that each takes while all of them measure, 0 where it fails. Throws DeviceError.
std::vector<double> measure_at_once(std::span<Measurer* const> devices, const Workload& workload,
                                    const MeasureRules& rules) {
  std::vector<std::future<double>> times;
  for (Measurer* device : devices) {
    times.push_back(std::async(std::launch::async, [&, device] {
      return measured_figure(device->measure(workload, rules).point, "time").value_or(0);
    }));
  }
  std::vector<double> figures;
  for (std::future<double>& time : times) figures.push_back(time.get());
  return figures;
}

/// What the devices took: a list for each of them, whose places stand for the same.
struct DeviceTimes {
  explicit DeviceTimes(std::size_t devices) : common(devices), alone(devices), at_once(devices) {}

  std::vector<std::vector<double>> common;   ///< of all the points
  std::vector<std::vector<double>> alone;    ///< of one of them
  std::vector<std::vector<double>> at_once;  ///< of the same, while all measure it
};

DeviceTimes time_devices(RunStage& stage, std::span<Measurer* const> devices,
                         std::span<const std::pair<std::size_t, double>> points) {
  constexpr std::size_t rounds = 3;
  constexpr double share_of_run = 0.01;
  constexpr double seconds_beside = 200e-6;  // a sample's, for the state of the caches
  // So long that the devices' samples, which do not begin at the same instant, meet.
  const double window =
      std::clamp(share_of_run * stage.watch.elapsed() /
                     static_cast<double>(rounds * (points.size() + devices.size())),
                 3e-3, 50e-3);
  DeviceTimes times(devices.size());
  PreparedPoints prepared(stage.compile, stage.request.sweep.measure);
  std::vector<const Configuration*> configurations;
  for (const auto& [place, seconds] : points) configurations.push_back(&stage.configuration(place));
  prepared.add(configurations);
  std::vector<std::pair<Workload, MeasureRules>> work;
  for (const auto& [place, seconds] : points) {
    PreparedPoint next = prepared.next();
    if (!next.workload) continue;
    MeasureRules rules = stage.request.sweep.measure;
    rules.energy_seconds = 0;
    rules.min_samples = rules.max_samples =
        static_cast<int>(std::clamp(window / (seconds + seconds_beside), 5.0, 1000.0));
    work.emplace_back(std::move(*next.workload), rules);
  }
  for (std::size_t round = 0; round < rounds && !stage.stop; ++round) {
    for (std::size_t i = 0; i < work.size(); ++i) {
      const auto& [workload, rules] = work[i];
      const std::vector<double> all = measure_at_once(devices, workload, rules);
      const bool is_last = i + 1 == work.size();
      for (std::size_t device = 0; device < devices.size(); ++device) {
        times.common[device].push_back(all[device]);
        if (!is_last) continue;
        times.at_once[device].push_back(all[device]);
        times.alone[device].push_back(
            measure_at_once(devices.subspan(device, 1), workload, rules).front());
      }
    }
  }
  return times;
}

}  // namespace

void compare_devices(RunStage& stage) {
  if (stage.request.further.empty()) return;
  const std::int64_t run = stage.summary.run;
  // Until more is known.
  stage.device_spread = device_spread(std::vector<DeviceRecord>(2));
  if (stage.further.empty()) return;
  if (stage.summary.measured == 0 && stage.store.take_over_devices(run)) return;
  const auto points = common_points(stage);
  if (points.empty()) return;
  std::vector<Measurer*> devices = {stage.measurer};
  for (const DeviceSeat& seat : stage.further) devices.push_back(seat.measurer);
  stage.observer.on_stage(fmt::format("comparing the {} GPUs", devices.size()));
  try {
    const DeviceTimes times =
        stage.watch.time(Phase::compare, [&] { return time_devices(stage, devices, points); });
    if (stage.stop) return;
    std::vector<DeviceRecord> records;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const Device& device = devices[i]->device();
      DeviceRecord& record = records.emplace_back(DeviceRecord{device.index, device.uuid});
      const auto ratio_of = [](const auto& its, const auto& others) {
        const auto found = compare_paired(its, others);
        return found ? DeviceRatio{found->low, found->ratio, found->high} : DeviceRatio{};
      };
      record.to_first = ratio_of(times.common[i], times.common[0]);
      record.to_alone = ratio_of(times.at_once[i], times.alone[i]);
    }
    // Those that have fallen out have measured some of the points.
    for (const DeviceRecord& one : stage.devices) {
      if (std::ranges::find(records, one.uuid, &DeviceRecord::uuid) == records.end()) {
        records.push_back(one);
      }
    }
    stage.device_spread = device_spread(records);
    stage.watch.time(Phase::store, [&] { stage.store.set_devices(run, records); });
  } catch (const DeviceError& error) {
    stage.note(fmt::format("the GPUs were not compared with each other: {}", error.what()));
  } catch (const std::system_error& error) {
    stage.note(fmt::format(
        "the GPUs were not compared with each other: no thread can be started: {}", error.what()));
  }
}

}  // namespace sweep

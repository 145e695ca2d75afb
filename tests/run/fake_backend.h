#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"

namespace sweep {

/// A backend that follows a script instead of running anything: for tests of what surrounds it.
class FakeBackend : public Backend {
 public:
  FakeBackend() {
    device_.backend = "fake";
    device_.name = "Fake GPU";
    device_.uuid = "GPU-0";
    device_.compute_capability = 90;
    device_.memory_clock_hz = 1'000'000'000;
    device_.memory_bus_bits = 4000;  // 2 * 1 GHz * 500 B = 1000 GB/s
  }

  const Device& device() const override { return device_; }
  bool can_time() const override { return can_time_; }
  bool usable() const override { return usable_; }
  std::unique_ptr<Execution> prepare(const Workload& workload, const MeasureRules&) override {
    calls.push_back("prepare " + workload.launches.front().kernel_entry);
    if (on_prepare) on_prepare(workload);
    return std::make_unique<FakeExecution>(*this);
  }

  void load(const Workload& workload) override {
    if (on_load) on_load(workload);
  }
  DeviceState state() override {
    calls.push_back("state");
    return state_;
  }
  std::optional<double> energy_joules() override { return on_energy ? on_energy() : std::nullopt; }
  std::vector<std::string> disturbances() override { return {"another process uses the GPU"}; }
  std::vector<std::string> others_computing() override {
    return on_others ? on_others() : std::vector<std::string>();
  }
  CounterResults count(std::span<const Workload> workloads, const CounterRequest& request,
                       const StepListener& on_step) override {
    return on_count ? on_count(workloads, request, on_step)
                    : Backend::count(workloads, request, on_step);
  }

  Device device_;
  DeviceState state_;
  int launches_per_sample_ = 1;
  bool can_time_ = true;
  bool usable_ = true;
  Observation observation_;
  std::vector<std::string> calls;
  std::function<void(const Workload&)> on_prepare;
  std::function<void(const Workload&)> on_load;
  std::function<void()> on_launch;
  std::function<std::optional<std::string>()> on_verify;
  std::function<double(CacheState)> on_sample;
  std::function<std::optional<double>()> on_energy;
  std::function<void(int launches)> on_repeat;
  std::function<std::vector<std::string>()> on_others;
  std::function<Sample()> on_clocked_sample;  ///< instead of on_sample
  std::vector<int> chunks;                    ///< how many samples were asked for, call by call
  std::function<CounterResults(std::span<const Workload>, const CounterRequest&,
                               const StepListener&)>
      on_count;

 private:
  class FakeExecution : public Execution {
   public:
    explicit FakeExecution(FakeBackend& backend) : backend_(backend) {}
    void initialise() override { backend_.calls.push_back("initialise"); }
    void launch() override {
      backend_.calls.push_back("launch");
      if (backend_.on_launch) backend_.on_launch();
    }
    std::optional<std::string> verify() override {
      backend_.calls.push_back("verify");
      return backend_.on_verify ? backend_.on_verify() : std::nullopt;
    }
    void repeat(int launches) override {
      backend_.calls.push_back("repeat");
      if (backend_.on_repeat) backend_.on_repeat(launches);
    }
    std::vector<Sample> sample(CacheState cache, int count) override {
      std::vector<Sample> samples;
      backend_.chunks.push_back(count);
      for (int i = 0; i < count; ++i) {
        backend_.calls.push_back("sample");
        if (backend_.on_clocked_sample) {
          samples.push_back(backend_.on_clocked_sample());
        } else {
          samples.push_back({.seconds = backend_.on_sample ? backend_.on_sample(cache) : 1e-3});
        }
      }
      return samples;
    }
    void warm_up(CacheState cache, int count) override {
      for (int i = 0; i < count; ++i) sample(cache, 1);
    }
    int launches_per_sample() const override { return backend_.launches_per_sample_; }
    Observation observe() override {
      backend_.calls.push_back("observe");
      return backend_.observation_;
    }

   private:
    FakeBackend& backend_;
  };
};

}  // namespace sweep

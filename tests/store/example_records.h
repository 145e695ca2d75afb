#pragma once

#include <cstdint>

#include "engine/store/record.h"

namespace sweep::testing {

/// A run with every figure filled in.
inline Provenance example_provenance() {
  return {.sweep_name = "stride",
          .sweep_text = "pattern: stride\naxes: {STRIDE: [1, 2]}\n",
          .command = "sweep run sweeps/stride.yaml",
          .engine_version = "0.1.0",
          .compiler = "NVRTC 13.0",
          .host = "bench-1",
          .measure = "cache cold, noise 0.5 %, 10 to 1000 samples, 0.5 s",
          .device = {.backend = "cuda",
                     .name = "NVIDIA H200",
                     .uuid = "GPU-00000000-0000-0000-0000-000000000001",
                     .compute_capability = 90,
                     .multiprocessors = 132,
                     .l2_bytes = 60ull << 20,
                     .memory_bytes = 139ull << 30,
                     .memory_clock_hz = 3201000000,
                     .memory_bus_bits = 6016,
                     .driver = "580.159.04",
                     .cuda = "13.0"},
          .seed = 0xfedc'ba98'7654'3210,
          .derived = {{"stride", {"N", "BLOCKS"}}}};
}

inline PointKey example_key(std::int64_t stride) {
  PointKey key{"stride", "__global__ void stride() {}\n", {}, "cache cold", "H200", "NVRTC 13.0"};
  key.parameters.set("STRIDE", stride);
  key.parameters.set("T", ElementType::find("float").value());
  return key;
}

inline PointRecord example_point(std::int64_t stride, double bandwidth = 2738.25) {
  return {
      .key = example_key(stride),
      .status = PointStatus::ok,
      .reason = "",
      .stopped_by = "noise",
      .samples = {{1.0e-3, 1.98e9}, {1.1e-3, 1.4e9, SampleMark::low_clock}, {0.9e-3}},
      .metrics = {{"bandwidth", Origin::measured, bandwidth}, {"time", Origin::measured, 1000.0}}};
}

inline PointRecord failed_point(std::int64_t stride) {
  return {.key = example_key(stride),
          .status = PointStatus::failed,
          .reason = "3 of 100 elements of 'data' are wrong",
          .stopped_by = "",
          .samples = {},
          .metrics = {}};
}

/// A search of two groups: one complete, one that found nothing.
inline TuningRecord example_tuning() {
  TunedGroup found;
  found.group.set("T", ElementType::find("float").value());
  found.configurations = 5376;
  found.tried = 200;
  found.ended = "stopped after 200 configurations";
  found.winner = 17;
  found.rounds = 12;
  found.figure_low = 4290.5;
  found.figure = 4301.25;
  found.figure_high = 4310;
  found.default_configuration = 0;
  found.gain_low = 1.1;
  found.gain = 1.12;
  found.gain_high = 1.14;
  TunedGroup empty;
  empty.group.set("T", ElementType::find("double").value());
  empty.why_no_default = "N % BLOCK == 0 does not hold";
  return {.metric = "bandwidth",
          .origin = Origin::measured,
          .better = Better::higher,
          .strategy = "forest",
          .seed = 0xfedc'ba98'7654'3210,
          .for_each = {"T"},
          .groups = {found, empty}};
}

}  // namespace sweep::testing

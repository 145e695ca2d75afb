#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct CUpti_Profiler_Host_Object;
struct CUpti_RangeProfiler_Object;

namespace sweep::testing {

/// CUPTI's range profiler, opened at run time: the hardware's counters of single launches.
class RangeProfiler {
 public:
  /// Counts these metrics, by NVIDIA's names, on a device whose context is the current one. Throws
  /// std::runtime_error without CUPTI, without the permission, and for an unknown metric.
  RangeProfiler(CUcontext context, std::vector<std::string> metrics);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// The metrics of launch(0) ... launch(count - 1), each of which waits for its kernel. Every one
  /// is called once in each pass, after prepare(i), which is not counted.
  std::vector<std::vector<double>> count(int count, const std::function<void(int)>& prepare,
                                         const std::function<void(int)>& launch);

 private:
  struct Functions;

  void check(int result, const char* call) const;
  void make_configuration(CUcontext context);
  std::vector<std::uint8_t> counter_image(int count);
  std::vector<std::vector<double>> values(const std::vector<std::uint8_t>& image, int count);

  std::unique_ptr<Functions> functions_;
  std::vector<std::string> metrics_;
  std::vector<const char*> names_;
  std::vector<std::uint8_t> available_;
  std::vector<std::uint8_t> configuration_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
};

}  // namespace sweep::testing

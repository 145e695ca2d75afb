#pragma once

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <optional>

#include "engine/system/dynamic_library.h"

namespace sweep {

/// Throws CounterFailure when a call of CUPTI has returned an error.
void check_cupti(CUptiResult result, const char* symbol);

/// A function of CUPTI. Its parameters, the results among them, are a structure that says its own
/// size.
template <class Parameters, std::size_t size>
class CuptiFunction {
 public:
  CuptiFunction(const DynamicLibrary& library, const char* symbol)
      : symbol_(symbol), function_(library.function<CUptiResult(Parameters*)>(symbol)) {}

  /// Calls it with the parameters that `set` fills in. Throws CounterFailure.
  template <class Set>
  Parameters operator()(Set set) const {
    Parameters parameters{};
    check_cupti(call(parameters, set), symbol_);
    return parameters;
  }
  /// The same; nothing where CUPTI returns an error.
  template <class Set>
  std::optional<Parameters> attempt(Set set) const {
    Parameters parameters{};
    return call(parameters, set) == CUPTI_SUCCESS ? std::optional(parameters) : std::nullopt;
  }

 private:
  template <class Set>
  CUptiResult call(Parameters& parameters, Set set) const {
    parameters.structSize = size;
    set(parameters);
    return function_(&parameters);
  }

  const char* symbol_;
  CUptiResult (*function_)(Parameters*);
};

/// CUPTI's range profiler and what it needs, opened at run time.
struct Cupti {
  /// Opens libcupti. Throws CounterFailure when none is there or all are too old. Needs no driver.
  static const Cupti& get();

  DynamicLibrary library;
  decltype(&::cuptiGetResultString) result_string =
      library.function<decltype(::cuptiGetResultString)>("cuptiGetResultString");
// NOLINTBEGIN(bugprone-macro-parentheses): a member's name
#define SWEEP_CUPTI(NAME, FUNCTION, TYPE)                                        \
  CuptiFunction<CUpti_##TYPE##_Params, CUpti_##TYPE##_Params_STRUCT_SIZE> NAME { \
    library, "cupti" #FUNCTION                                                   \
  }
  SWEEP_CUPTI(initialize, ProfilerInitialize, Profiler_Initialize);
  SWEEP_CUPTI(chip_name, DeviceGetChipName, Device_GetChipName);
  SWEEP_CUPTI(host_initialize, ProfilerHostInitialize, Profiler_Host_Initialize);
  SWEEP_CUPTI(host_deinitialize, ProfilerHostDeinitialize, Profiler_Host_Deinitialize);
  SWEEP_CUPTI(base_metrics, ProfilerHostGetBaseMetrics, Profiler_Host_GetBaseMetrics);
  SWEEP_CUPTI(sub_metrics, ProfilerHostGetSubMetrics, Profiler_Host_GetSubMetrics);
  SWEEP_CUPTI(metric_properties, ProfilerHostGetMetricProperties,
              Profiler_Host_GetMetricProperties);
  SWEEP_CUPTI(add_metrics, ProfilerHostConfigAddMetrics, Profiler_Host_ConfigAddMetrics);
  SWEEP_CUPTI(config_size, ProfilerHostGetConfigImageSize, Profiler_Host_GetConfigImageSize);
  SWEEP_CUPTI(config_image, ProfilerHostGetConfigImage, Profiler_Host_GetConfigImage);
  SWEEP_CUPTI(pass_count, ProfilerHostGetNumOfPasses, Profiler_Host_GetNumOfPasses);
  SWEEP_CUPTI(evaluate, ProfilerHostEvaluateToGpuValues, Profiler_Host_EvaluateToGpuValues);
  SWEEP_CUPTI(enable, RangeProfilerEnable, RangeProfiler_Enable);
  SWEEP_CUPTI(disable, RangeProfilerDisable, RangeProfiler_Disable);
  SWEEP_CUPTI(data_size, RangeProfilerGetCounterDataSize, RangeProfiler_GetCounterDataSize);
  SWEEP_CUPTI(initialize_image, RangeProfilerCounterDataImageInitialize,
              RangeProfiler_CounterDataImage_Initialize);
  SWEEP_CUPTI(set_config, RangeProfilerSetConfig, RangeProfiler_SetConfig);
  SWEEP_CUPTI(start, RangeProfilerStart, RangeProfiler_Start);
  SWEEP_CUPTI(stop, RangeProfilerStop, RangeProfiler_Stop);
  SWEEP_CUPTI(push_range, RangeProfilerPushRange, RangeProfiler_PushRange);
  SWEEP_CUPTI(pop_range, RangeProfilerPopRange, RangeProfiler_PopRange);
  SWEEP_CUPTI(decode, RangeProfilerDecodeData, RangeProfiler_DecodeData);
  SWEEP_CUPTI(data_info, RangeProfilerGetCounterDataInfo, RangeProfiler_GetCounterDataInfo);
  SWEEP_CUPTI(range_info, RangeProfilerCounterDataGetRangeInfo,
              RangeProfiler_CounterData_GetRangeInfo);
#undef SWEEP_CUPTI
  // NOLINTEND(bugprone-macro-parentheses)
};

}  // namespace sweep

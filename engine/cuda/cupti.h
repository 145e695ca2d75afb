#pragma once

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "engine/system/dynamic_library.h"

namespace sweep {

/// CUPTI's range profiler and what it needs, opened at run time.
struct Cupti {
  /// Opens libcupti. Throws CounterFailure when none is there or all are too old. Needs no driver.
  static const Cupti& get();

  DynamicLibrary library;
// NOLINTBEGIN(bugprone-macro-parentheses): a member's name
#define SWEEP_CUPTI(NAME) \
  decltype(&::cupti##NAME) NAME = library.function<decltype(::cupti##NAME)>("cupti" #NAME)
  SWEEP_CUPTI(GetResultString);
  SWEEP_CUPTI(ProfilerInitialize);
  SWEEP_CUPTI(DeviceGetChipName);
  SWEEP_CUPTI(ProfilerHostInitialize);
  SWEEP_CUPTI(ProfilerHostDeinitialize);
  SWEEP_CUPTI(ProfilerHostGetBaseMetrics);
  SWEEP_CUPTI(ProfilerHostGetSubMetrics);
  SWEEP_CUPTI(ProfilerHostGetMetricProperties);
  SWEEP_CUPTI(ProfilerHostConfigAddMetrics);
  SWEEP_CUPTI(ProfilerHostGetConfigImageSize);
  SWEEP_CUPTI(ProfilerHostGetConfigImage);
  SWEEP_CUPTI(ProfilerHostGetNumOfPasses);
  SWEEP_CUPTI(ProfilerHostEvaluateToGpuValues);
  SWEEP_CUPTI(RangeProfilerEnable);
  SWEEP_CUPTI(RangeProfilerDisable);
  SWEEP_CUPTI(RangeProfilerGetCounterDataSize);
  SWEEP_CUPTI(RangeProfilerCounterDataImageInitialize);
  SWEEP_CUPTI(RangeProfilerSetConfig);
  SWEEP_CUPTI(RangeProfilerStart);
  SWEEP_CUPTI(RangeProfilerStop);
  SWEEP_CUPTI(RangeProfilerPushRange);
  SWEEP_CUPTI(RangeProfilerPopRange);
  SWEEP_CUPTI(RangeProfilerDecodeData);
  SWEEP_CUPTI(RangeProfilerGetCounterDataInfo);
  SWEEP_CUPTI(RangeProfilerCounterDataGetRangeInfo);
#undef SWEEP_CUPTI
  // NOLINTEND(bugprone-macro-parentheses)

  /// Throws CounterFailure when `result` is an error.
  void check(CUptiResult result, const char* call) const;
};

/// Calls a function of CUPTI and checks its result: `cupti_call(cupti, &Cupti::RangeProfilerStart,
/// "cuptiRangeProfilerStart", start)`.
template <class Function, class Parameters>
void cupti_call(const Cupti& cupti, Function Cupti::*function, const char* name,
                Parameters& parameters) {
  cupti.check((cupti.*function)(&parameters), name);
}

/// CUPTI's parameters say their own size.
template <class Parameters>
Parameters sized_parameters(std::size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}

#define SWEEP_CUPTI_PARAMETERS(TYPE) \
  ::sweep::sized_parameters<TYPE##_Params>(TYPE##_Params_STRUCT_SIZE)
#define SWEEP_CUPTI_CALL(CUPTI, NAME, PARAMETERS) \
  ::sweep::cupti_call(CUPTI, &::sweep::Cupti::NAME, "cupti" #NAME, PARAMETERS)

}  // namespace sweep

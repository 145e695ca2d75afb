// A libcupti that follows a script, for tests of the order of calls without a GPU. It checks that
// calls come in the order that CUPTI's manual asks for.
#include "tests/cuda/scripted_cupti.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <string>

using sweep::testing::CuptiScript;

extern "C" CuptiScript* cupti_script() {
  static CuptiScript script;
  return &script;
}

namespace {

CuptiScript& script() {
  return *cupti_script();
}

/// Notes a call; `is_allowed` is whether CUPTI allows it now.
CUptiResult note(const std::string& call, bool is_allowed) {
  script().calls.push_back(call);
  if (!is_allowed) script().is_misused = true;
  const std::string name = call.substr(0, call.find(' '));
  const auto failure = script().failures.find(name);
  if (failure != script().failures.end()) return static_cast<CUptiResult>(failure->second);
  return is_allowed ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

// Any address that is not null.
int an_object = 0;

template <class Object>
Object* object() {
  return reinterpret_cast<Object*>(&an_object);
}

}  // namespace

extern "C" {

CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_SCRIPTED";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  return note("Initialize", true);
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* parameters) {
  parameters->pChipName = "XY100";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* parameters) {
  parameters->pHostObject = object<CUpti_Profiler_Host_Object>();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params*) {
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params*) {
  return CUPTI_ERROR_NOT_SUPPORTED;
}

CUptiResult cuptiProfilerHostGetSubMetrics(CUpti_Profiler_Host_GetSubMetrics_Params*) {
  return CUPTI_ERROR_NOT_SUPPORTED;
}

CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params*) {
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params*) {
  return note("Add", true);
}

CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params* parameters) {
  parameters->configImageSize = 16;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params*) {
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* parameters) {
  parameters->numOfPasses = script().passes;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* parameters) {
  const CUptiResult result = note("Enable", !script().is_enabled && parameters->ctx != nullptr);
  if (result != CUPTI_SUCCESS) return result;
  script().is_enabled = true;
  script().sessions = 0;
  parameters->pRangeProfilerObject = object<CUpti_RangeProfiler_Object>();
  return result;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
  const bool is_allowed = script().is_enabled && !script().is_started;
  script().is_enabled = false;
  return note("Disable", is_allowed);
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params* parameters) {
  parameters->counterDataSize = 16;
  return note("Size", script().is_enabled);
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
  return note("Image", script().is_enabled);
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* parameters) {
  script().ranges.clear();
  script().passes_done = 0;
  if (parameters->maxRangesPerPass > script().most_ranges) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  if (++script().sessions > script().most_sessions) return CUPTI_ERROR_INVALID_OPERATION;
  return note("Config " + std::to_string(parameters->maxRangesPerPass), script().is_enabled);
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  const CUptiResult result = note("Start", script().is_enabled && !script().is_started);
  if (result == CUPTI_SUCCESS) script().is_started = true;
  return result;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* parameters) {
  const bool is_allowed = script().is_started && !script().is_in_range;
  script().is_started = false;
  parameters->isAllPassSubmitted = ++script().passes_done >= script().passes ? 1 : 0;
  return note("Stop", is_allowed);
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* parameters) {
  const std::string name = parameters->pRangeName;
  auto& ranges = script().ranges;
  const bool is_known = std::find(ranges.begin(), ranges.end(), name) != ranges.end();
  // Every pass has the ranges of the first.
  const bool is_allowed =
      script().is_started && !script().is_in_range && is_known == (script().passes_done > 0);
  const CUptiResult result = note("Push " + name, is_allowed);
  if (result != CUPTI_SUCCESS) return result;
  if (!is_known) ranges.push_back(name);
  script().is_in_range = true;
  return result;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params*) {
  const bool is_allowed = script().is_in_range;
  script().is_in_range = false;
  return note("Pop", is_allowed);
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params*) {
  return note("Decode", script().is_enabled && !script().is_started);
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(
    CUpti_RangeProfiler_GetCounterDataInfo_Params* parameters) {
  parameters->numTotalRanges = std::min(script().ranges.size(), script().kept_ranges);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params* parameters) {
  parameters->rangeName = script().ranges.at(parameters->rangeIndex).c_str();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* parameters) {
  const double range = std::stod(script().ranges.at(parameters->rangeIndex));
  for (std::size_t i = 0; i < parameters->numMetrics; ++i) {
    parameters->pMetricValues[i] = 1000 * range + static_cast<double>(i);
  }
  return note("Evaluate", script().is_enabled);
}

}  // extern "C"

#pragma once

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#define PARAMS(type, name) type name = {type##_STRUCT_SIZE}

inline void check(CUptiResult result, const char* what) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = "";
  cuptiGetResultString(result, &text);
  std::fprintf(stderr, "%s: %s\n", what, text);
  std::exit(1);
}

/// Hardware counters of single launches, by CUPTI's range profiler with user replay.
class RangeCounter {
 public:
  RangeCounter(CUcontext context, std::vector<std::string> metrics) : metrics_(std::move(metrics)) {
    PARAMS(CUpti_Profiler_Initialize_Params, initialize);
    check(cuptiProfilerInitialize(&initialize), "initialize");
    PARAMS(CUpti_Device_GetChipName_Params, chip);
    check(cuptiDeviceGetChipName(&chip), "chip name");
    PARAMS(CUpti_Profiler_GetCounterAvailability_Params, availability);
    availability.ctx = context;
    check(cuptiProfilerGetCounterAvailability(&availability), "availability");
    available_.resize(availability.counterAvailabilityImageSize);
    availability.pCounterAvailabilityImage = available_.data();
    check(cuptiProfilerGetCounterAvailability(&availability), "availability");

    PARAMS(CUpti_Profiler_Host_Initialize_Params, host);
    host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    host.pChipName = chip.pChipName;
    host.pCounterAvailabilityImage = available_.data();
    check(cuptiProfilerHostInitialize(&host), "host");
    host_ = host.pHostObject;
    for (const std::string& name : metrics_) names_.push_back(name.c_str());
    PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
    add.pHostObject = host_;
    add.ppMetricNames = names_.data();
    add.numMetrics = names_.size();
    check(cuptiProfilerHostConfigAddMetrics(&add), "metrics");

    PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = host_;
    check(cuptiProfilerHostGetConfigImageSize(&size), "configuration size");
    config_.resize(size.configImageSize);
    PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
    image.pHostObject = host_;
    image.configImageSize = config_.size();
    image.pConfigImage = config_.data();
    check(cuptiProfilerHostGetConfigImage(&image), "configuration");

    PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = context;
    check(cuptiRangeProfilerEnable(&enable), "enable");
    profiler_ = enable.pRangeProfilerObject;
  }
  RangeCounter(const RangeCounter&) = delete;
  RangeCounter& operator=(const RangeCounter&) = delete;
  ~RangeCounter() {
    PARAMS(CUpti_RangeProfiler_Disable_Params, disable);
    disable.pRangeProfilerObject = profiler_;
    cuptiRangeProfilerDisable(&disable);
    PARAMS(CUpti_Profiler_Host_Deinitialize_Params, deinitialize);
    deinitialize.pHostObject = host_;
    cuptiProfilerHostDeinitialize(&deinitialize);
  }

  /// The counters of launch(0) ... launch(count - 1), each of which waits for its kernel; every one
  /// is called once for each pass.
  std::vector<std::vector<double>> count(int count, const std::function<void(int)>& launch) {
    std::vector<std::uint8_t> data = counter_image(count);
    for (bool done = false; !done;) {
      PARAMS(CUpti_RangeProfiler_Start_Params, start);
      start.pRangeProfilerObject = profiler_;
      check(cuptiRangeProfilerStart(&start), "start");
      for (int i = 0; i < count; ++i) {
        const std::string name = std::to_string(i);
        PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
        push.pRangeProfilerObject = profiler_;
        push.pRangeName = name.c_str();
        check(cuptiRangeProfilerPushRange(&push), "push");
        launch(i);
        PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
        pop.pRangeProfilerObject = profiler_;
        check(cuptiRangeProfilerPopRange(&pop), "pop");
      }
      PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
      stop.pRangeProfilerObject = profiler_;
      check(cuptiRangeProfilerStop(&stop), "stop");
      done = stop.isAllPassSubmitted;
    }
    PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode);
    decode.pRangeProfilerObject = profiler_;
    check(cuptiRangeProfilerDecodeData(&decode), "decode");
    return values(data, count);
  }

 private:
  std::vector<std::uint8_t> counter_image(int count) {
    PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names_.data();
    size.numMetrics = names_.size();
    size.maxNumOfRanges = static_cast<std::size_t>(count);
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(count);
    check(cuptiRangeProfilerGetCounterDataSize(&size), "counter data size");
    std::vector<std::uint8_t> data(size.counterDataSize);
    PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialize);
    initialize.pRangeProfilerObject = profiler_;
    initialize.counterDataSize = data.size();
    initialize.pCounterData = data.data();
    check(cuptiRangeProfilerCounterDataImageInitialize(&initialize), "counter data");

    PARAMS(CUpti_RangeProfiler_SetConfig_Params, set);
    set.pRangeProfilerObject = profiler_;
    set.configSize = config_.size();
    set.pConfig = config_.data();
    set.counterDataImageSize = data.size();
    set.pCounterDataImage = data.data();
    set.range = CUPTI_UserRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = static_cast<std::size_t>(count);
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.passIndex = 0;
    set.targetNestingLevel = 1;
    check(cuptiRangeProfilerSetConfig(&set), "set configuration");
    return data;
  }

  std::vector<std::vector<double>> values(const std::vector<std::uint8_t>& data, int count) {
    std::vector<std::vector<double>> result(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      PARAMS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, info);
      info.pCounterDataImage = data.data();
      info.counterDataImageSize = data.size();
      info.rangeIndex = static_cast<std::size_t>(i);
      info.rangeDelimiter = "/";
      check(cuptiRangeProfilerCounterDataGetRangeInfo(&info), "range");
      std::vector<double> values(metrics_.size());
      PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate);
      evaluate.pHostObject = host_;
      evaluate.pCounterDataImage = data.data();
      evaluate.counterDataImageSize = data.size();
      evaluate.rangeIndex = static_cast<std::size_t>(i);
      evaluate.ppMetricNames = names_.data();
      evaluate.numMetrics = names_.size();
      evaluate.pMetricValues = values.data();
      check(cuptiProfilerHostEvaluateToGpuValues(&evaluate), "evaluate");
      result.at(static_cast<std::size_t>(std::atoi(info.rangeName))) = values;
    }
    return result;
  }

  std::vector<std::uint8_t> available_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::vector<std::string> metrics_;
  std::vector<const char*> names_;
  std::vector<std::uint8_t> config_;
};
#undef PARAMS

#include "tests/emulator/hardware/range_profiler.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <stdexcept>
#include <utility>

#include "engine/loader/cuda_home.h"
#include "engine/loader/dynamic_library.h"

namespace sweep::testing {
namespace {

DynamicLibrary open_cupti() {
  std::vector<std::string> candidates = library_candidates({"libcupti.so.13", "libcupti.so.12"});
  for (const auto& home : cuda_homes()) {
    candidates.push_back((home / "extras/CUPTI/lib64/libcupti.so").string());
    candidates.push_back((home / "targets/x86_64-linux/lib/libcupti.so").string());
  }
  for (const std::string& name : candidates) {
    if (auto library = DynamicLibrary::open(name)) return *library;
  }
  throw std::runtime_error("libcupti was not found");
}

/// CUPTI's parameters carry their size.
template <class Parameters>
Parameters sized(std::size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}

}  // namespace

#define SWEEP_SIZED(TYPE) sized<TYPE##_Params>(TYPE##_Params_STRUCT_SIZE)

struct RangeProfiler::Functions {
  DynamicLibrary library = open_cupti();
// NOLINTBEGIN(bugprone-macro-parentheses): a member's name
#define SWEEP_CUPTI(NAME) \
  decltype(&::cupti##NAME) NAME = library.function<decltype(::cupti##NAME)>("cupti" #NAME)
  SWEEP_CUPTI(GetResultString);
  SWEEP_CUPTI(ProfilerInitialize);
  SWEEP_CUPTI(DeviceGetChipName);
  SWEEP_CUPTI(ProfilerGetCounterAvailability);
  SWEEP_CUPTI(ProfilerHostInitialize);
  SWEEP_CUPTI(ProfilerHostDeinitialize);
  SWEEP_CUPTI(ProfilerHostConfigAddMetrics);
  SWEEP_CUPTI(ProfilerHostGetConfigImageSize);
  SWEEP_CUPTI(ProfilerHostGetConfigImage);
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
  SWEEP_CUPTI(RangeProfilerCounterDataGetRangeInfo);
#undef SWEEP_CUPTI
  // NOLINTEND(bugprone-macro-parentheses)
};

void RangeProfiler::check(int result, const char* call) const {
  if (result == CUPTI_SUCCESS) return;
  const char* text = "";
  functions_->GetResultString(static_cast<CUptiResult>(result), &text);
  throw std::runtime_error(std::string(call) + ": " + text);
}

RangeProfiler::RangeProfiler(CUcontext context, std::vector<std::string> metrics)
    : functions_(std::make_unique<Functions>()), metrics_(std::move(metrics)) {
  for (const std::string& name : metrics_) names_.push_back(name.c_str());
  auto initialize = SWEEP_SIZED(CUpti_Profiler_Initialize);
  check(functions_->ProfilerInitialize(&initialize), "cuptiProfilerInitialize");
  make_configuration(context);
  auto enable = SWEEP_SIZED(CUpti_RangeProfiler_Enable);
  enable.ctx = context;
  check(functions_->RangeProfilerEnable(&enable), "cuptiRangeProfilerEnable");
  profiler_ = enable.pRangeProfilerObject;
}

RangeProfiler::~RangeProfiler() {
  auto disable = SWEEP_SIZED(CUpti_RangeProfiler_Disable);
  disable.pRangeProfilerObject = profiler_;
  functions_->RangeProfilerDisable(&disable);
  auto end = SWEEP_SIZED(CUpti_Profiler_Host_Deinitialize);
  end.pHostObject = host_;
  functions_->ProfilerHostDeinitialize(&end);
}

void RangeProfiler::make_configuration(CUcontext context) {
  auto chip = SWEEP_SIZED(CUpti_Device_GetChipName);
  check(functions_->DeviceGetChipName(&chip), "cuptiDeviceGetChipName");
  auto availability = SWEEP_SIZED(CUpti_Profiler_GetCounterAvailability);
  availability.ctx = context;
  check(functions_->ProfilerGetCounterAvailability(&availability),
        "cuptiProfilerGetCounterAvailability");
  available_.resize(availability.counterAvailabilityImageSize);
  availability.pCounterAvailabilityImage = available_.data();
  check(functions_->ProfilerGetCounterAvailability(&availability),
        "cuptiProfilerGetCounterAvailability");

  auto host = SWEEP_SIZED(CUpti_Profiler_Host_Initialize);
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = chip.pChipName;
  host.pCounterAvailabilityImage = available_.data();
  check(functions_->ProfilerHostInitialize(&host), "cuptiProfilerHostInitialize");
  host_ = host.pHostObject;
  auto add = SWEEP_SIZED(CUpti_Profiler_Host_ConfigAddMetrics);
  add.pHostObject = host_;
  add.ppMetricNames = names_.data();
  add.numMetrics = names_.size();
  check(functions_->ProfilerHostConfigAddMetrics(&add), "cuptiProfilerHostConfigAddMetrics");
  auto size = SWEEP_SIZED(CUpti_Profiler_Host_GetConfigImageSize);
  size.pHostObject = host_;
  check(functions_->ProfilerHostGetConfigImageSize(&size), "cuptiProfilerHostGetConfigImageSize");
  configuration_.resize(size.configImageSize);
  auto image = SWEEP_SIZED(CUpti_Profiler_Host_GetConfigImage);
  image.pHostObject = host_;
  image.configImageSize = configuration_.size();
  image.pConfigImage = configuration_.data();
  check(functions_->ProfilerHostGetConfigImage(&image), "cuptiProfilerHostGetConfigImage");
}

std::vector<std::uint8_t> RangeProfiler::counter_image(int count) {
  auto size = SWEEP_SIZED(CUpti_RangeProfiler_GetCounterDataSize);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = names_.data();
  size.numMetrics = names_.size();
  size.maxNumOfRanges = static_cast<std::size_t>(count);
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(count);
  check(functions_->RangeProfilerGetCounterDataSize(&size), "cuptiRangeProfilerGetCounterDataSize");
  std::vector<std::uint8_t> image(size.counterDataSize);
  auto initialize = SWEEP_SIZED(CUpti_RangeProfiler_CounterDataImage_Initialize);
  initialize.pRangeProfilerObject = profiler_;
  initialize.counterDataSize = image.size();
  initialize.pCounterData = image.data();
  check(functions_->RangeProfilerCounterDataImageInitialize(&initialize),
        "cuptiRangeProfilerCounterDataImageInitialize");

  auto set = SWEEP_SIZED(CUpti_RangeProfiler_SetConfig);
  set.pRangeProfilerObject = profiler_;
  set.configSize = configuration_.size();
  set.pConfig = configuration_.data();
  set.counterDataImageSize = image.size();
  set.pCounterDataImage = image.data();
  set.range = CUPTI_UserRange;
  set.replayMode = CUPTI_UserReplay;
  set.maxRangesPerPass = static_cast<std::size_t>(count);
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = 0;
  set.targetNestingLevel = 1;
  check(functions_->RangeProfilerSetConfig(&set), "cuptiRangeProfilerSetConfig");
  return image;
}

std::vector<std::vector<double>> RangeProfiler::count(int count,
                                                      const std::function<void(int)>& prepare,
                                                      const std::function<void(int)>& launch) {
  const std::vector<std::uint8_t> image = counter_image(count);
  for (bool is_done = false; !is_done;) {
    auto start = SWEEP_SIZED(CUpti_RangeProfiler_Start);
    start.pRangeProfilerObject = profiler_;
    check(functions_->RangeProfilerStart(&start), "cuptiRangeProfilerStart");
    for (int i = 0; i < count; ++i) {
      prepare(i);
      const std::string name = std::to_string(i);
      auto push = SWEEP_SIZED(CUpti_RangeProfiler_PushRange);
      push.pRangeProfilerObject = profiler_;
      push.pRangeName = name.c_str();
      check(functions_->RangeProfilerPushRange(&push), "cuptiRangeProfilerPushRange");
      launch(i);
      auto pop = SWEEP_SIZED(CUpti_RangeProfiler_PopRange);
      pop.pRangeProfilerObject = profiler_;
      check(functions_->RangeProfilerPopRange(&pop), "cuptiRangeProfilerPopRange");
    }
    auto stop = SWEEP_SIZED(CUpti_RangeProfiler_Stop);
    stop.pRangeProfilerObject = profiler_;
    check(functions_->RangeProfilerStop(&stop), "cuptiRangeProfilerStop");
    is_done = stop.isAllPassSubmitted != 0;
  }
  auto decode = SWEEP_SIZED(CUpti_RangeProfiler_DecodeData);
  decode.pRangeProfilerObject = profiler_;
  check(functions_->RangeProfilerDecodeData(&decode), "cuptiRangeProfilerDecodeData");
  return values(image, count);
}

std::vector<std::vector<double>> RangeProfiler::values(const std::vector<std::uint8_t>& image,
                                                       int count) {
  std::vector<std::vector<double>> result(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto info = SWEEP_SIZED(CUpti_RangeProfiler_CounterData_GetRangeInfo);
    info.pCounterDataImage = image.data();
    info.counterDataImageSize = image.size();
    info.rangeIndex = i;
    info.rangeDelimiter = "/";
    check(functions_->RangeProfilerCounterDataGetRangeInfo(&info),
          "cuptiRangeProfilerCounterDataGetRangeInfo");
    std::vector<double> values(metrics_.size());
    auto evaluate = SWEEP_SIZED(CUpti_Profiler_Host_EvaluateToGpuValues);
    evaluate.pHostObject = host_;
    evaluate.pCounterDataImage = image.data();
    evaluate.counterDataImageSize = image.size();
    evaluate.rangeIndex = i;
    evaluate.ppMetricNames = names_.data();
    evaluate.numMetrics = names_.size();
    evaluate.pMetricValues = values.data();
    check(functions_->ProfilerHostEvaluateToGpuValues(&evaluate),
          "cuptiProfilerHostEvaluateToGpuValues");
    result.at(std::stoul(info.rangeName)) = std::move(values);
  }
  return result;
}

#undef SWEEP_SIZED

}  // namespace sweep::testing

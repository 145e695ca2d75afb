#include "engine/cuda/cupti.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/cuda/range_profiler.h"

namespace sweep {
namespace {

using Kind = CounterFailure::Kind;

/// What a person can do about some results of CUPTI.
struct CuptiAdvice {
  std::vector<int> results;  ///< as numbers, since older headers do not name all of them
  std::string_view words;
  Kind kind = Kind::lasting;
};

const CuptiAdvice& advice_for(int result) {
  static const std::vector<CuptiAdvice> advice = {
      {{35},  // insufficient privileges
       "the driver lets only administrators read them: run as root or with CAP_SYS_ADMIN, or "
       "write 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' into a file of "
       "/etc/modprobe.d and reboot; a container also needs --cap-add=SYS_ADMIN"},
      {{33, 40},  // a virtual device: not supported, insufficient privileges
       "the GPU is a virtual one: the hypervisor's administrator has to allow profiling "
       "(vGPU parameter enable_profiling)"},
      {{43},  // MIG
       "the GPU is a part of one in MIG mode: use a whole GPU (nvidia-smi -mig 0)"},
      {{45},  // WSL
       "in the Windows Subsystem for Linux, allow them in the NVIDIA Control Panel on "
       "Windows (Developer, Manage GPU Performance Counters), with a current driver"},
      {{41},  // confidential computing
       "confidential computing is on: turn it off in the GPU's firmware settings"},
      {{42}, "NVIDIA's mining processors do not give them"},
      {{44}, "the GPU is joined with another one by SLI: turn SLI off"},
      {{31},  // not supported with MPS
       "stop the MPS server (echo quit | nvidia-cuda-mps-control)",
       Kind::passing},
      {{26, 36, 38, 39},  // hardware busy, old or legacy profiler, multiple subscribers
       "another profiler may be attached: end Nsight, nvprof, cuda-gdb, DCGM's profiling "
       "(dcgmi profile --pause) and other programs that count on this GPU",
       Kind::passing},
      {{14, 27, 46},  // not compatible, not supported, invalid chip
       "the GPU may be older than compute capability 7.5, or newer than this libcupti: use "
       "the libcupti of a CUDA Toolkit that knows it"},
      {{15},  // not initialized
       "libcupti may not find its libnvperf_host.so, which a CUDA Toolkit has beside it "
       "(LD_LIBRARY_PATH can say where), or the driver may be older than libcupti: use the "
       "libcupti of a CUDA Toolkit that is no newer than the driver's CUDA version "
       "(SWEEP_CUDA_HOME says which)"},
      {{8, 12},  // out of memory, maximum limit reached
       "count fewer things at once",
       Kind::too_many_ranges},
  };
  static const CuptiAdvice others = {
      {},
      "a libcupti newer than the driver, another profiler, or a driver that restricts counters may "
      "be the reason",
      Kind::passing};
  const auto found = std::ranges::find_if(advice, [&](const CuptiAdvice& one) {
    return std::ranges::find(one.results, result) != one.results.end();
  });
  return found != advice.end() ? *found : others;
}

Cupti open_cupti() {
  const std::vector<std::string> files = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  std::vector<std::string> names = library_candidates(files);
  // A toolkit may keep CUPTI in a folder of its own.
  for (const auto& home : cuda_homes()) {
    for (const std::string& file : files) {
      names.push_back((home / "extras/CUPTI/lib64" / file).string());
    }
  }
  std::string too_old;
  std::vector<std::string> problems;
  for (const std::string& name : names) {
    const auto library = DynamicLibrary::open_first({name}, problems);
    if (!library) continue;
    try {
      return Cupti{*library};
    } catch (const LibraryError& error) {
      if (too_old.empty()) too_old = error.what();
    }
  }
  const std::string why =
      !too_old.empty() ? fmt::format(
                             ": {}; use the libcupti of CUDA 12.6 or newer "
                             "(SWEEP_CUDA_HOME says which)",
                             too_old)
      : !problems.empty()
          ? fmt::format(", since libcupti cannot be loaded: {}", problems.front())
          : ", since libcupti was not found; it comes with the CUDA Toolkit (on Debian and Ubuntu "
            "NVIDIA's package cuda-cupti-13-0 or cuda-cupti-12-6), and SWEEP_CUDA_HOME says where "
            "that is";
  throw CounterFailure(Kind::lasting, "the hardware's counters cannot be read" + why);
}

}  // namespace

CounterFailure cupti_failure(int result, const std::string& call, const std::string& name) {
  const CuptiAdvice& advice = advice_for(result);
  return {advice.kind, fmt::format("the hardware's counters cannot be read, {} says {}; {}", call,
                                   name, advice.words)};
}

const Cupti& Cupti::get() {
  static const Cupti cupti = open_cupti();
  return cupti;
}

void check_cupti(CUptiResult result, const char* symbol) {
  if (result == CUPTI_SUCCESS) return;
  const char* name = nullptr;
  Cupti::get().result_string(result, &name);
  throw cupti_failure(static_cast<int>(result), symbol,
                      name != nullptr ? name : fmt::format("error {}", static_cast<int>(result)));
}

}  // namespace sweep

/// NVRTC with a fault: passes every call on to the library that SWEEP_REAL_NVRTC names, but a
/// program that contains the text SWEEP_NVRTC_FAULT_IN meets the fault SWEEP_NVRTC_FAULT: `crash`,
/// `abort`, `kill`, `exit` and `hang` do that to the process, `memory` and `internal` are NVRTC's
/// errors 1 and 11. With SWEEP_NVRTC_FAULT_ONCE=FILE only the first time, after which that file is
/// not empty.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

template <class Function>
Function* real(const char* name) {
  static void* const library = dlopen(variable("SWEEP_REAL_NVRTC").c_str(), RTLD_NOW);
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// Opens what a thread that compiles can no longer open: the real library's built-in functions, and
/// the file of SWEEP_NVRTC_FAULT_ONCE.
int open_all() {
  const std::filesystem::path library = variable("SWEEP_REAL_NVRTC");
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(library.parent_path(), error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("libnvrtc-builtins.so.")) dlopen(entry.path().c_str(), RTLD_NOW);
  }
  const std::string once = variable("SWEEP_NVRTC_FAULT_ONCE");
  return once.empty() ? -1 : open(once.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
}
const int once_file = open_all();

std::mutex mutex;
std::map<void*, std::string> sources;

bool is_due(void* program) {
  const std::lock_guard lock(mutex);
  if (sources[program].find(variable("SWEEP_NVRTC_FAULT_IN")) == std::string::npos) return false;
  if (once_file < 0) return true;
  struct stat status = {};
  return fstat(once_file, &status) == 0 && status.st_size == 0 && write(once_file, "x", 1) == 1;
}

/// The error that the call returns; 0 for none.
int meet_fault() {
  const std::string fault = variable("SWEEP_NVRTC_FAULT");
  if (fault == "crash") raise(SIGSEGV);
  if (fault == "abort") std::abort();
  if (fault == "kill") raise(SIGKILL);
  if (fault == "exit") std::_Exit(9);
  while (fault == "hang") pause();
  if (fault == "memory") return 1;
  return fault == "internal" ? 11 : 0;
}

}  // namespace

// The types are those of nvrtc.h, which only engine/jit includes: a handle is a pointer, a result
// an int.
#define PASS_ON(name, parameters, arguments)      \
  extern "C" int name parameters {                \
    return real<int parameters>(#name) arguments; \
  }

PASS_ON(nvrtcVersion, (int* major, int* minor), (major, minor))
PASS_ON(nvrtcGetNumSupportedArchs, (int* count), (count))
PASS_ON(nvrtcGetSupportedArchs, (int* all), (all))
PASS_ON(nvrtcDestroyProgram, (void** program), (program))
PASS_ON(nvrtcAddNameExpression, (void* program, const char* name), (program, name))
PASS_ON(nvrtcGetLoweredName, (void* program, const char* name, const char** lowered),
        (program, name, lowered))
PASS_ON(nvrtcGetProgramLogSize, (void* program, size_t* size), (program, size))
PASS_ON(nvrtcGetProgramLog, (void* program, char* log), (program, log))
PASS_ON(nvrtcGetPTXSize, (void* program, size_t* size), (program, size))
PASS_ON(nvrtcGetPTX, (void* program, char* ptx), (program, ptx))
PASS_ON(nvrtcGetCUBINSize, (void* program, size_t* size), (program, size))
PASS_ON(nvrtcGetCUBIN, (void* program, char* cubin), (program, cubin))

extern "C" const char* nvrtcGetErrorString(int result) {
  return real<const char*(int)>("nvrtcGetErrorString")(result);
}

extern "C" int nvrtcCreateProgram(void** program, const char* source, const char* name, int count,
                                  const char* const* headers, const char* const* names) {
  const auto create =
      real<int(void**, const char*, const char*, int, const char* const*, const char* const*)>(
          "nvrtcCreateProgram");
  const int result = create(program, source, name, count, headers, names);
  const std::lock_guard lock(mutex);
  if (result == 0) sources[*program] = source;
  return result;
}

extern "C" int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  if (const int error = is_due(program) ? meet_fault() : 0; error != 0) return error;
  return real<int(void*, int, const char* const*)>("nvrtcCompileProgram")(program, count, options);
}

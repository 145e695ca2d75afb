# Finds the CUDA toolkit's headers: CUDA_INCLUDE_DIR, and CUDA_HOME_DIR as the place to look for
# its libraries at run time. The toolkit is never installed from here.
set(_cuda_homes $ENV{SWEEP_CUDA_HOME} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda /opt/cuda)
file(GLOB _cuda_versions LIST_DIRECTORIES true /usr/local/cuda-*)
list(SORT _cuda_versions COMPARE NATURAL ORDER DESCENDING)
list(APPEND _cuda_homes ${_cuda_versions} /usr/lib/cuda $ENV{CONDA_PREFIX})
if(DEFINED ENV{VIRTUAL_ENV})
  # NVIDIA's wheels of CUDA 13 and newer.
  file(GLOB _cuda_wheels LIST_DIRECTORIES true
       $ENV{VIRTUAL_ENV}/lib/python*/site-packages/nvidia/cu[0-9]*)
  list(APPEND _cuda_homes ${_cuda_wheels})
endif()

find_path(CUDA_INCLUDE_DIR nvrtc.h
          HINTS ${_cuda_homes} PATH_SUFFIXES include targets/x86_64-linux/include
          DOC "The folder with cuda.h and nvrtc.h")

if(NOT CUDA_INCLUDE_DIR OR NOT EXISTS ${CUDA_INCLUDE_DIR}/cuda.h)
  list(JOIN _cuda_homes "\n  " _searched)
  message(FATAL_ERROR
    "The CUDA toolkit's headers cuda.h and nvrtc.h were not found. Searched:\n  ${_searched}\n"
    "Install the CUDA Toolkit 12.4 or newer from NVIDIA (on Debian and "
    "Ubuntu NVIDIA's packages cuda-nvrtc-dev-* and cuda-driver-dev-* suffice), or point "
    "SWEEP_CUDA_HOME at an installation: SWEEP_CUDA_HOME=/path/to/cuda ./setup.sh")
endif()

file(STRINGS ${CUDA_INCLUDE_DIR}/cuda.h _cuda_version REGEX "^#define CUDA_VERSION [0-9]+")
string(REGEX REPLACE ".* ([0-9]+)" "\\1" _cuda_version "${_cuda_version}")
if(_cuda_version LESS 12040)
  message(FATAL_ERROR "CUDA in ${CUDA_INCLUDE_DIR} is version ${_cuda_version}; 12040 (12.4) or "
                      "newer is needed. Point SWEEP_CUDA_HOME at a newer installation.")
endif()

get_filename_component(CUDA_HOME_DIR ${CUDA_INCLUDE_DIR} DIRECTORY)
message(STATUS "CUDA headers: ${CUDA_INCLUDE_DIR} (version ${_cuda_version})")

add_library(sweep_cuda_headers INTERFACE)
target_include_directories(sweep_cuda_headers SYSTEM INTERFACE ${CUDA_INCLUDE_DIR})
# A binary that moves to other machines names no place of this one.
target_compile_definitions(sweep_cuda_headers INTERFACE
  SWEEP_BUILD_CUDA_HOME="$<IF:$<BOOL:${SWEEP_STATIC}>,/usr/local/cuda,${CUDA_HOME_DIR}>")

# The headers of CUPTI's range profiler, which reads the hardware's counters, come with CUDA 12.6
# and newer. Without them the engine is built without counters and says so when it is asked for them.
find_path(CUPTI_INCLUDE_DIR cupti_range_profiler.h
          HINTS ${CUDA_INCLUDE_DIR} ${CUDA_HOME_DIR}/extras/CUPTI/include
                ${CUDA_HOME_DIR}/../../extras/CUPTI/include
          NO_DEFAULT_PATH)
if(CUPTI_INCLUDE_DIR)
  add_library(sweep_cupti_headers INTERFACE)
  target_include_directories(sweep_cupti_headers SYSTEM INTERFACE ${CUPTI_INCLUDE_DIR})
else()
  message(STATUS "CUPTI's range profiler headers were not found: no hardware counters")
endif()

set(CudaHeaders_FOUND TRUE)

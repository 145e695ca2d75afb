# The libraries the engine uses. CUDA is needed for its headers alone: libnvrtc and libcuda are
# opened at run time.
if(SWEEP_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
  set(Boost_USE_STATIC_LIBS ON)
endif()

find_package(Threads REQUIRED)
find_package(Boost 1.74 CONFIG REQUIRED COMPONENTS program_options)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(SQLite3 REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CudaHeaders REQUIRED)

add_library(sweep_fmt INTERFACE)
target_link_libraries(sweep_fmt INTERFACE
  $<IF:$<BOOL:${SWEEP_STATIC}>,fmt::fmt-header-only,fmt::fmt>)

# yaml-cpp 0.7 exports `yaml-cpp`, 0.8 `yaml-cpp::yaml-cpp`; only the latter carries the includes.
add_library(sweep_yaml INTERFACE)
if(SWEEP_STATIC)
  find_library(YAML_CPP_ARCHIVE libyaml-cpp.a REQUIRED)
  target_link_libraries(sweep_yaml INTERFACE ${YAML_CPP_ARCHIVE})
  target_compile_definitions(sweep_yaml INTERFACE YAML_CPP_STATIC_DEFINE)
elseif(TARGET yaml-cpp::yaml-cpp)
  target_link_libraries(sweep_yaml INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(sweep_yaml INTERFACE yaml-cpp)
endif()

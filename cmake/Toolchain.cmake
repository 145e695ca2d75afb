# The language level, the warnings and the sanitizers every target is built with.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(sweep_build_flags INTERFACE)
target_include_directories(sweep_build_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(sweep_build_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns about its own std::string (GCC bug 105651).
  target_compile_options(sweep_build_flags INTERFACE -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # GCC 13 warns about fmt 9's own large integers where it inlines all of them.
  target_compile_options(sweep_build_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 18)
  # Clang warns about libstdc++ 12's own std::stable_sort (LLVM issue 76515).
  target_compile_options(sweep_build_flags INTERFACE -Wno-deprecated-declarations)
endif()
if(SWEEP_WERROR)
  target_compile_options(sweep_build_flags INTERFACE -Werror)
endif()
if(SWEEP_SANITIZE)
  # ON is the set that finds most and goes together.
  string(REGEX REPLACE "^(ON|on|1|TRUE|YES)$" "address,undefined" _sanitizers "${SWEEP_SANITIZE}")
  set(_sanitize -fsanitize=${_sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND _sanitizers MATCHES "thread")
    # GCC's thread sanitizer does not follow bare fences, of which Boost's shared pointers have one.
    list(APPEND _sanitize -Wno-tsan)
  endif()
  target_compile_options(sweep_build_flags INTERFACE ${_sanitize})
  target_link_options(sweep_build_flags INTERFACE -fsanitize=${_sanitizers})
endif()
if(SWEEP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "SWEEP_FUZZ needs clang, whose libFuzzer finds the inputs; this is "
                        "${CMAKE_CXX_COMPILER_ID}. In a build folder of its own: cmake --preset fuzz")
  endif()
  # A number that does not fit the integer it is converted to is undefined too, but not one of the
  # group `undefined`. The checks left out are those of pointers, which double the code and find
  # what the address sanitizer finds.
  target_compile_options(sweep_build_flags INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow
    -fno-sanitize=vptr,object-size,null,alignment -fno-sanitize-recover=all
    -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/tests/fuzz/uninstrumented.txt
    -fno-omit-frame-pointer)
  target_compile_definitions(sweep_build_flags INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(sweep_build_flags INTERFACE -fsanitize=address,undefined)
endif()
if(SWEEP_STATIC)
  target_link_options(sweep_build_flags INTERFACE -static-libstdc++ -static-libgcc)
endif()

# sweep_room(NAME SOURCES... [USES targets...] [COLD]): one folder of the engine as a static library; COLD
# where little of a run's time is spent: it compiles a quarter faster, without much optimizing. With
# SWEEP_UNITY several of its files are compiled as one, as most of the compiling is headers: what a file
# keeps to itself has a name of its own in the room, or SKIP_UNITY_BUILD_INCLUSION.
function(sweep_room name)
  cmake_parse_arguments(ROOM "COLD" "" "USES" ${ARGN})
  add_library(sweep_${name} STATIC ${ROOM_UNPARSED_ARGUMENTS})
  target_link_libraries(sweep_${name} PUBLIC sweep_build_flags ${ROOM_USES})
  set_target_properties(sweep_${name} PROPERTIES
    UNITY_BUILD ${SWEEP_UNITY} UNITY_BUILD_BATCH_SIZE ${SWEEP_UNITY_BATCH})
  if(ROOM_COLD AND NOT SWEEP_FUZZ)
    target_compile_options(sweep_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# cmake -D OUTPUT=file.cpp -D FOLDER=patterns -P EmbedPatterns.cmake writes a source that defines
# shipped_patterns() of tests/fuzz/shipped_patterns.h.
cmake_minimum_required(VERSION 3.22)

file(GLOB files ${FOLDER}/*.cu)
list(SORT files)
list(LENGTH files count)
set(source "#include \"tests/fuzz/shipped_patterns.h\"\n\n#include <array>\n\nnamespace sweep::fuzz {\n\n")
string(APPEND source "std::span<const ShippedPattern> shipped_patterns() {\n")
string(APPEND source "  static constexpr std::array<ShippedPattern, ${count}> patterns = {{\n")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND source "      {\"${name}\", R\"sweep_pattern(${text})sweep_pattern\"},\n")
endforeach()
string(APPEND source "  }};\n  return patterns;\n}\n\n}  // namespace sweep::fuzz\n")
file(WRITE "${OUTPUT}" "${source}")

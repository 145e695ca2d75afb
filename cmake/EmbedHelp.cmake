# sweep_embed_help(TARGET FILES...): compiles the texts of `sweep help` into TARGET, so that the
# program needs none of the files when it runs: a source that defines help_files() of
# engine/cli/help/help_topics.h, with the texts in the order of FILES.
# Run as a script (-D OUTPUT=... -D FILES=a,b) this file writes that source.
function(sweep_embed_help target)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/help_files.cpp)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  string(REPLACE ";" "," names "${files}")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D FILES=${names}
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedHelp.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/EmbedHelp.cmake VERBATIM
    COMMENT "Embedding the texts of sweep help")
  target_sources(${target} PRIVATE ${output})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  string(REPLACE "," ";" FILES "${FILES}")
  set(source "#include \"engine/cli/help/help_topics.h\"\n\n#include <array>\n\nnamespace sweep {\n\n")
  string(APPEND source "std::span<const HelpFile> help_files() {\n")
  list(LENGTH FILES count)
  string(APPEND source "  static constexpr std::array<HelpFile, ${count}> files = {{\n")
  foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    string(APPEND source "      {\"${name}\", R\"sweep_help(${text})sweep_help\"},\n")
  endforeach()
  string(APPEND source "  }};\n  return files;\n}\n\n}  // namespace sweep\n")
  file(WRITE "${OUTPUT}" "${source}")
endif()

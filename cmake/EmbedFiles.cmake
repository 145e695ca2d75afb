# sweep_embed_files(TARGET FUNCTION FILES...): compiles texts into TARGET, so that the program needs
# none of the files when it runs: a source that defines sweep::FUNCTION(), which gives the texts in
# the order of FILES (engine/text/embedded_file.h).
# Run as a script (-D OUTPUT=... -D FUNCTION=... -D FILES=a,b) this file writes that source.
function(sweep_embed_files target function)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  string(REPLACE ";" "," names "${files}")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D FUNCTION=${function} -D FILES=${names}
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake VERBATIM
    COMMENT "Embedding ${function}")
  target_sources(${target} PRIVATE ${output})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  string(REPLACE "," ";" FILES "${FILES}")
  set(source "#include \"engine/text/embedded_file.h\"\n\n#include <array>\n#include <span>\n\nnamespace sweep {\n\n")
  string(APPEND source "std::span<const EmbeddedFile> ${FUNCTION}();\n"
                       "std::span<const EmbeddedFile> ${FUNCTION}() {\n")
  list(LENGTH FILES count)
  string(APPEND source "  static constexpr std::array<EmbeddedFile, ${count}> files = {{\n")
  foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    string(APPEND source "      {\"${name}\", R\"sweep_text(${text})sweep_text\"},\n")
  endforeach()
  string(APPEND source "  }};\n  return files;\n}\n\n}  // namespace sweep\n")
  file(WRITE "${OUTPUT}" "${source}")
endif()

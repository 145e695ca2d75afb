# sweep_embed_texts(TARGET FUNCTION FILES...): compiles text files into TARGET, so that the program
# needs none of them when it runs. TARGET gets a source that defines, in the order of FILES,
#   std::span<const sweep::EmbeddedText> sweep::FUNCTION()
# of engine/cli/embedded_text.h; a text's name is its file's without folder and ending.
# Run as a script (-D OUTPUT=... -D FUNCTION=... -D FILES=a,b) this file writes that source.
function(sweep_embed_texts target function)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  string(REPLACE ";" "," names "${files}")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D FUNCTION=${function} -D FILES=${names}
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake VERBATIM
    COMMENT "Embedding the texts of ${function}()")
  target_sources(${target} PRIVATE ${output})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  string(REPLACE "," ";" FILES "${FILES}")
  set(source "#include \"engine/cli/embedded_text.h\"\n\n#include <array>\n\nnamespace sweep {\n\n")
  string(APPEND source "std::span<const EmbeddedText> ${FUNCTION}() {\n")
  list(LENGTH FILES count)
  string(APPEND source "  static constexpr std::array<EmbeddedText, ${count}> texts = {{\n")
  foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    string(APPEND source "      {\"${name}\", R\"EMBEDDED(${text})EMBEDDED\"},\n")
  endforeach()
  string(APPEND source "  }};\n  return texts;\n}\n\n}  // namespace sweep\n")
  file(WRITE "${OUTPUT}" "${source}")
endif()

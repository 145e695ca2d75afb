# cmake -D OUTPUT=file.cpp -D NAME=page_script -D FILES="a.js;b.js" -P EmbedText.cmake
#
# Writes a source file that defines `EmbeddedText NAME()` (report/html/page_parts.h): the files one
# after the other, with their SHA-256, by which a page allows a script to run. Files that are not
# there are empty. The source file is left as it is when nothing has changed.
cmake_minimum_required(VERSION 3.22)

set(text "")
foreach(file IN LISTS FILES)
  if(EXISTS "${file}")
    file(READ "${file}" content)
    string(APPEND text "${content}")
  endif()
endforeach()

# Within an element's raw text both end it early.
string(FIND "${text}" "</script" script_end)
string(FIND "${text}" "</style" style_end)
string(FIND "${text}" ")sweep_text\"" literal_end)
if(NOT script_end EQUAL -1 OR NOT style_end EQUAL -1 OR NOT literal_end EQUAL -1)
  message(FATAL_ERROR "${FILES}: has a text that would end the element that it stands in")
endif()

string(SHA256 hash "${text}")
set(source "#include \"report/html/page_parts.h\"\n\nnamespace sweep {\n\n")
string(APPEND source "EmbeddedText ${NAME}() {\n  return {R\"sweep_text(")
string(APPEND source "${text}")
string(APPEND source ")sweep_text\",\n          \"${hash}\"};\n}\n\n}  // namespace sweep\n")
set(before "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT before STREQUAL source)
  file(WRITE "${OUTPUT}" "${source}")
endif()

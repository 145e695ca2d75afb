# cmake -D PACKAGE=folder -D FOLDER=folder -D STAMP=file -P VegaBundle.cmake
#
# Takes Vega, Vega-Lite and Vega-Embed from npm, in the versions that PACKAGE/package-lock.json
# names, and writes their browser builds with their licences as one script, FOLDER/vega.js. The
# packages go to FOLDER, never to the source tree. Without npm, or without a registry that it
# reaches, the script is empty and STAMP is not written, so that a later build tries again: what npm
# could not install it is asked for again after an hour, or when npm or the versions are others.
cmake_minimum_required(VERSION 3.22)

set(bundle "${FOLDER}/vega.js")
set(failure "${FOLDER}/failed")
set(seconds_until_again 3600)

function(write_bundle text)
  set(before "")
  if(EXISTS "${bundle}")
    file(READ "${bundle}" before)
  endif()
  if(NOT EXISTS "${bundle}" OR NOT before STREQUAL text)
    file(WRITE "${bundle}" "${text}")
  endif()
endfunction()

macro(go_on_without reason again)
  message(STATUS "HTML reports will have pictures in place of interactive charts: ${reason}. "
                 "${again} -DSWEEP_VEGA=OFF does without.")
  write_bundle("")
  return()
endmacro()

find_program(NPM npm)
if(NOT NPM)
  go_on_without("there is no npm (apt-get install npm)" "Building again tries again.")
endif()

# `failure` has a line each for what was tried, when, and what npm said.
file(SHA256 "${PACKAGE}/package-lock.json" versions)
file(TIMESTAMP "${NPM}" npm_date)
set(tried "${NPM} ${npm_date} ${versions}")
string(TIMESTAMP now "%s" UTC)
if(EXISTS "${failure}")
  file(READ "${failure}" last)
  if(last MATCHES "^([^\n]*)\n([0-9]+)\n([^\n]*)" AND CMAKE_MATCH_1 STREQUAL tried)
    set(reason "${CMAKE_MATCH_3}")
    math(EXPR left "${CMAKE_MATCH_2} + ${seconds_until_again} - ${now}")
    if(left GREATER 0 AND left LESS_EQUAL seconds_until_again)
      math(EXPR minutes "(${left} + 59) / 60")
      go_on_without("npm could not install Vega-Lite the last time (${reason})"
        "It is asked again in ${minutes} min, or at once after: rm '${failure}'.")
    endif()
  endif()
  file(REMOVE "${failure}")
endif()

file(MAKE_DIRECTORY "${FOLDER}")
foreach(file package.json package-lock.json .npmrc)
  configure_file("${PACKAGE}/${file}" "${FOLDER}/${file}" COPYONLY)
endforeach()
execute_process(
  COMMAND "${NPM}" ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1
          --fetch-retry-mintimeout=1000 --fetch-timeout=10000
  WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors
  TIMEOUT 120)
if(NOT result EQUAL 0)
  string(REGEX MATCH "[^\n]*[^\n ][^\n]*" first_line "${errors}")
  file(WRITE "${failure}" "${tried}\n${now}\n${result}; ${first_line}\n")
  go_on_without("npm could not install Vega-Lite (${result}; ${first_line})"
    "It is asked again in an hour, or at once after: rm '${failure}'.")
endif()

set(modules "${FOLDER}/node_modules")
set(text "/*\nVega, Vega-Lite, Vega-Embed and what they are made of.\n")
# What the browser builds contain, each licence once.
set(seen "")
file(GLOB licences "${modules}/vega*/LICENSE" "${modules}/d3-*/LICENSE"
     "${modules}/topojson-client/LICENSE*" "${modules}/fast-json-patch/LICENSE*"
     "${modules}/semver/LICENSE" "${modules}/delaunator/LICENSE"
     "${modules}/robust-predicates/LICENSE" "${modules}/json-stringify-pretty-compact/LICENSE")
foreach(licence IN LISTS licences)
  file(SHA256 "${licence}" hash)
  if(NOT hash IN_LIST seen)
    list(APPEND seen "${hash}")
    file(READ "${licence}" content)
    get_filename_component(package "${licence}" DIRECTORY)
    get_filename_component(package "${package}" NAME)
    string(REPLACE "*/" "* /" content "${content}")
    string(APPEND text "\n== ${package}\n${content}")
  endif()
endforeach()
string(APPEND text "*/\n")
foreach(build vega/build/vega.min.js vega-lite/build/vega-lite.min.js
        vega-embed/build/vega-embed.min.js)
  if(NOT EXISTS "${modules}/${build}")
    go_on_without("${build} is not where it was expected" "Building again tries again.")
  endif()
  file(READ "${modules}/${build}" content)
  # A browser's tools would look for the map.
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" content "${content}")
  string(APPEND text "${content}\n")
endforeach()
write_bundle("${text}")
file(WRITE "${STAMP}" "")

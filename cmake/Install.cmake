# `cmake --install build --prefix X`: the command in bin; the patterns, sweeps, schemas, completion
# scripts, manual page and README in share.
# The command finds its data relative to itself, in ../share/sweep.
include(GNUInstallDirs)
set(_data ${CMAKE_INSTALL_DATADIR}/sweep)

if(TARGET sweep)
  install(TARGETS sweep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# What the program writes about itself: sweep_written(FILE DESTINATION COMMAND...) has it made in the
# build folder, and installed.
set(_written)
function(sweep_written file destination)
  set(_path ${PROJECT_BINARY_DIR}/written/${file})
  add_custom_command(OUTPUT ${_path} COMMAND sweep ${ARGN} -o ${_path} DEPENDS sweep VERBATIM)
  install(FILES ${_path} DESTINATION ${destination} OPTIONAL)
  set(_written ${_written} ${_path} PARENT_SCOPE)
endfunction()
if(TARGET sweep AND NOT CMAKE_CROSSCOMPILING)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/written)
  set(_share ${CMAKE_INSTALL_DATADIR})
  sweep_written(sweep ${_share}/bash-completion/completions completion bash)
  sweep_written(_sweep ${_share}/zsh/site-functions completion zsh)
  sweep_written(sweep.fish ${_share}/fish/vendor_completions.d completion fish)
  sweep_written(sweep.1 ${CMAKE_INSTALL_MANDIR}/man1 man)
  sweep_written(sweep.schema.json ${_data} schema sweep)
  sweep_written(pattern.schema.json ${_data} schema pattern)
  add_custom_target(written ALL DEPENDS ${_written})
endif()
install(DIRECTORY patterns/ DESTINATION ${_data}/patterns OPTIONAL FILES_MATCHING PATTERN "*.cu" PATTERN "*.cuh")
install(DIRECTORY sweeps/ DESTINATION ${_data}/sweeps OPTIONAL FILES_MATCHING PATTERN "*.yaml" PATTERN "*.schema.json")
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

# `cmake --build build --target uninstall` removes the files that the last installation wrote, and
# the folders of the project that are then empty.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/uninstall.cmake @ONLY CONTENT [[
set(manifest "@PROJECT_BINARY_DIR@/install_manifest.txt")
if(NOT EXISTS "${manifest}")
  message(FATAL_ERROR "Nothing to uninstall: there is no ${manifest}")
endif()
file(STRINGS "${manifest}" files)
foreach(file IN LISTS files)
  set(file "$ENV{DESTDIR}${file}")
  message(STATUS "Removing ${file}")
  file(REMOVE "${file}")
  get_filename_component(folder "${file}" DIRECTORY)
  while(folder MATCHES "/(@CMAKE_INSTALL_DATADIR@/sweep|@CMAKE_INSTALL_DOCDIR@)(/[^/]+)?$")
    execute_process(COMMAND rmdir "${folder}" RESULT_VARIABLE kept ERROR_QUIET)
    if(kept)
      break()
    endif()
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()
file(REMOVE "${manifest}")
]])
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${PROJECT_BINARY_DIR}/uninstall.cmake
                  COMMENT "Removing what was installed" VERBATIM)

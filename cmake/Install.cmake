# `cmake --install build --prefix X`: the command in bin; the patterns, sweeps, schemas, completion
# scripts, manual page, README and the licences of what is inside in share.
# The command finds its data relative to itself, in ../share/sweep.
include(GNUInstallDirs)
set(_share ${CMAKE_INSTALL_DATADIR})
set(_data ${_share}/sweep)
set(_bash ${_share}/bash-completion/completions)
set(_zsh ${_share}/zsh/site-functions)
set(_fish ${_share}/fish/vendor_completions.d)
set(_man ${CMAKE_INSTALL_MANDIR}/man1)

# What an installation writes is kept apart for each place in build/installed, for `uninstall`.
set(_record "
  set(SWEEP_RECORDS \"${PROJECT_BINARY_DIR}/installed\")
  set(SWEEP_FOLDERS \"${CMAKE_INSTALL_BINDIR};${_data}/patterns;${_data}/sweeps;${_bash};${_zsh};${_fish};${_man};${CMAKE_INSTALL_DOCDIR}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/InstallRecord.cmake\")")
install(CODE "${_record}\n  sweep_folders_before_install()")

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
  sweep_written(sweep ${_bash} completion bash)
  sweep_written(_sweep ${_zsh} completion zsh)
  sweep_written(sweep.fish ${_fish} completion fish)
  sweep_written(sweep.1 ${_man} man)
  sweep_written(sweep.schema.json ${_data} schema sweep)
  sweep_written(pattern.schema.json ${_data} schema pattern)
  add_custom_target(written ALL DEPENDS ${_written})
endif()
install(DIRECTORY patterns/ DESTINATION ${_data}/patterns OPTIONAL FILES_MATCHING PATTERN "*.cu" PATTERN "*.cuh" PATTERN .sweep EXCLUDE)
install(DIRECTORY sweeps/ DESTINATION ${_data}/sweeps OPTIONAL FILES_MATCHING PATTERN "*.yaml" PATTERN "*.schema.json" PATTERN .sweep EXCLUDE)
install(FILES README.md cmake/package/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

install(CODE "${_record}\n  sweep_record_install()")

# `cmake --build build --target uninstall` removes what was installed from the build folder.
add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -D RECORDS=${PROJECT_BINARY_DIR}/installed
          -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake
  COMMENT "Removing what was installed" VERBATIM)

# `cmake --install build --prefix X`: the command in bin, the patterns, sweeps and README in share.
# The command finds its data relative to itself, in ../share/sweep.
include(GNUInstallDirs)
set(_data ${CMAKE_INSTALL_DATADIR}/sweep)

if(TARGET sweep)
  install(TARGETS sweep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY patterns/ DESTINATION ${_data}/patterns OPTIONAL FILES_MATCHING PATTERN "*.cu" PATTERN "*.cuh")
install(DIRECTORY sweeps/ DESTINATION ${_data}/sweeps OPTIONAL FILES_MATCHING PATTERN "*.yaml")
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

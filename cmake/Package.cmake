# `cmake --build build --target package`, or `cpack -G DEB` in the build folder: a package for Debian
# and Ubuntu, whose dependencies are the libraries that the program was linked with; `cpack -G TGZ`:
# the same files to unpack anywhere. Debian has an audio editor named sweep, so the package's name is
# another, and only one of the two can be installed.
set(CPACK_PACKAGE_NAME sweep-cuda)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "sweep developers")
set(CPACK_PACKAGE_CONTACT "sweep developers <developers@sweep.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "auto-tuning sweep engine for CUDA memory-access patterns")
set(CPACK_PACKAGE_DESCRIPTION
"Measures how fast an NVIDIA GPU moves memory when threads stride, shift or
gather, says why, and searches for the fastest way. An access pattern is a
CUDA kernel in a text file, a sweep a YAML file that says which of its
parameters to vary. Without a GPU an emulator executes the patterns and
counts sectors, cache lines and bank conflicts.
.
Compiling takes libnvrtc of the CUDA Toolkit 12.4 or newer.")
set(CPACK_PACKAGE_FILE_NAME
    ${CPACK_PACKAGE_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME ${CPACK_PACKAGE_NAME}-${PROJECT_VERSION})
set(CPACK_SOURCE_IGNORE_FILES "^${PROJECT_SOURCE_DIR}/(build|build-[^/]*|results|\\\\.git)(/|$)")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
if(SWEEP_STATIC)
  # The program does without, CUDA's libnvrtc does not.
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libstdc++6)
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-cuda-toolkit (>= 12.4)")
set(CPACK_DEBIAN_PACKAGE_CONFLICTS sweep)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package/CheckTools.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/DebianFiles.cmake)
set(CPACK_SWEEP_DOC ${CMAKE_INSTALL_DATADIR}/doc)
set(CPACK_SWEEP_INSTALLED_DOC ${CMAKE_INSTALL_DOCDIR})
set(CPACK_SWEEP_ZSH ${_zsh})
set(CPACK_SWEEP_MAN ${CMAKE_INSTALL_MANDIR}/man1)
include(CPack)

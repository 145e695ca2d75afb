# Read by CPack for each of its generators. Without dpkg-shlibdeps CPack would make a package that
# names no dependencies.
if(CPACK_GENERATOR STREQUAL "DEB")
  find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
  if(NOT DPKG_SHLIBDEPS)
    message(FATAL_ERROR "dpkg-shlibdeps was not found: apt-get install dpkg-dev")
  endif()
endif()

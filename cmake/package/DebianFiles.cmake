# Run by CPack between installing and packing. What Debian expects of a package besides its files:
# the documents in a folder of the package's name, among them a changelog, a compressed manual page,
# and zsh's completion where its packaged zsh looks.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}")
set(documents "${root}/${CPACK_SWEEP_DOC}/${CPACK_PACKAGE_NAME}")
file(RENAME "${root}/${CPACK_SWEEP_INSTALLED_DOC}" "${documents}")
file(RENAME "${root}/${CPACK_SWEEP_ZSH}" "${root}/${CPACK_SWEEP_ZSH}/../vendor-completions")

function(compress file)
  execute_process(COMMAND gzip -9n "${file}" RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "gzip could not compress ${file}: ${result}")
  endif()
  file(CHMOD "${file}.gz" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()

compress("${root}/${CPACK_SWEEP_MAN}/sweep.1")

# SOURCE_DATE_EPOCH is the date when it is set.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${documents}/changelog"
"${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
compress("${documents}/changelog")

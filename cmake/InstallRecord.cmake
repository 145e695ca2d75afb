# Included while installing. Writes down what an installation adds to its place, DESTDIR and prefix,
# in a file of SWEEP_RECORDS for each place: lines `file PATH` and `folder PATH`, the folders being
# those of SWEEP_FOLDERS, and the ones above them, that were not there before. CPack's own
# installations, into its working folder, are none.

set(_place "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
get_filename_component(_place "${_place}" ABSOLUTE)
string(SHA1 _name "${_place}")
set(_record_file "${SWEEP_RECORDS}/${_name}.txt")

# Sets SWEEP_NEW_FOLDERS, the outer ones first.
macro(sweep_folders_before_install)
  set(SWEEP_NEW_FOLDERS "")
  foreach(_folder IN LISTS SWEEP_FOLDERS)
    if(NOT IS_ABSOLUTE "${_folder}")
      set(_folder "${CMAKE_INSTALL_PREFIX}/${_folder}")
    endif()
    get_filename_component(_folder "$ENV{DESTDIR}${_folder}" ABSOLUTE)
    while(NOT EXISTS "${_folder}")
      list(APPEND SWEEP_NEW_FOLDERS "${_folder}")
      get_filename_component(_folder "${_folder}" DIRECTORY)
    endwhile()
  endforeach()
  list(REMOVE_DUPLICATES SWEEP_NEW_FOLDERS)
  list(SORT SWEEP_NEW_FOLDERS)
endmacro()

macro(sweep_record_install)
  if(NOT _place MATCHES "/_CPack_Packages/")
    # A second installation finds the folders of the first.
    set(_lines "place ${_place}")
    if(EXISTS "${_record_file}")
      file(STRINGS "${_record_file}" _before)
      list(APPEND _lines ${_before})
    endif()
    foreach(_folder IN LISTS SWEEP_NEW_FOLDERS)
      list(APPEND _lines "folder ${_folder}")
    endforeach()
    foreach(_file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
      get_filename_component(_file "$ENV{DESTDIR}${_file}" ABSOLUTE)
      list(APPEND _lines "file ${_file}")
    endforeach()
    list(REMOVE_DUPLICATES _lines)
    list(JOIN _lines "\n" _lines)
    file(WRITE "${_record_file}" "${_lines}\n")
  endif()
endmacro()

# Fills TO with links to the entries of FROM and removes the links of entries that are gone.
# A folder is linked as a whole.

cmake_minimum_required(VERSION 3.25)

file(MAKE_DIRECTORY "${TO}")
file(GLOB entries RELATIVE "${FROM}" "${FROM}/*")
list(REMOVE_ITEM entries __pycache__)

file(GLOB present RELATIVE "${TO}" "${TO}/*")
foreach(name IN LISTS present)
  if(IS_SYMLINK "${TO}/${name}" AND NOT name IN_LIST entries)
    file(REMOVE "${TO}/${name}")
  endif()
endforeach()

foreach(name IN LISTS entries)
  if(NOT EXISTS "${TO}/${name}")
    file(CREATE_LINK "${FROM}/${name}" "${TO}/${name}" SYMBOLIC)
  endif()
endforeach()

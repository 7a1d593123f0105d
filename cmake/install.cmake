# SPDX-License-Identifier: MIT
# What `cmake --install` lays out: the library, the headers, and descriptions for find_package and pkg-config.
option(FIBTRIE_INSTALL "Make install rules" ${PROJECT_IS_TOP_LEVEL})
if(NOT FIBTRIE_INSTALL)
  return()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fibtrie)
install(TARGETS fibtrie EXPORT fibtrieTargets)
install(EXPORT fibtrieTargets NAMESPACE fibtrie:: DESTINATION ${package_dir})

# The public headers include parts of rcu/ and trie/, so that lookups are inlined.
install(DIRECTORY include/fibtrie DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY rcu trie DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fibtrie/detail FILES_MATCHING PATTERN "*.hpp")

# A static library hands its need of liburcu on to whoever links it, a shared one does not.
get_target_property(library_type fibtrie TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(urcu_requires "Requires")
else()
  set(urcu_requires "Requires.private")
endif()
configure_package_config_file(cmake/fibtrieConfig.cmake.in ${PROJECT_BINARY_DIR}/fibtrieConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fibtrieConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fibtrieConfig.cmake ${PROJECT_BINARY_DIR}/fibtrieConfigVersion.cmake
  DESTINATION ${package_dir})

# The way from the .pc file back to the prefix, so that an installed tree may be moved.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
configure_file(cmake/fibtrie.pc.in ${PROJECT_BINARY_DIR}/fibtrie.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fibtrie.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

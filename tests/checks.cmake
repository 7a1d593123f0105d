# SPDX-License-Identifier: MIT
# Tests that are no GoogleTest programs: rules of the tree, and the installed library in the hands of its users.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME checks.layers COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/check_layers.py)
add_test(NAME checks.layers_finds_mistakes
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/check_layers.py --self-test)
add_test(NAME checks.format COMMAND ${PROJECT_SOURCE_DIR}/scripts/format)
set_tests_properties(checks.format PROPERTIES SKIP_RETURN_CODE 77)

# A sanitized library asks the same of whoever links it.
if(NOT PROJECT_IS_TOP_LEVEL OR FIBTRIE_SANITIZE)
  return()
endif()
set(consumer ${CMAKE_CURRENT_SOURCE_DIR}/consumer)
set(work ${CMAKE_CURRENT_BINARY_DIR}/consumer)

add_test(NAME consumer.clean COMMAND ${CMAKE_COMMAND} -E rm -rf ${work})
add_test(NAME consumer.install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${work}/prefix)
set_tests_properties(consumer.clean PROPERTIES FIXTURES_SETUP consumer_clean)
set_tests_properties(consumer.install PROPERTIES FIXTURES_REQUIRED consumer_clean FIXTURES_SETUP consumer_install)

# add_consumer(NAME [CMAKE OPTIONS]...): the consumer project built in one way, and run.
function(add_consumer name)
  add_test(NAME consumer.${name} COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${consumer} ${work}/${name}
    --build-generator ${CMAKE_GENERATOR} --build-noclean
    --build-options -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} ${ARGN}
    --test-command ${work}/${name}/consumer)
endfunction()
add_consumer(find_package -DCMAKE_PREFIX_PATH=${work}/prefix)
add_consumer(add_subdirectory -DFIBTRIE_SOURCE=${PROJECT_SOURCE_DIR})
add_test(NAME consumer.pkg_config
  COMMAND ${consumer}/pkg_config.sh ${CMAKE_CXX_COMPILER} ${work}/prefix/${CMAKE_INSTALL_LIBDIR} ${work}/pkg_config)
add_test(NAME consumer.installed_files COMMAND ${consumer}/installed_files.sh ${CMAKE_CXX_COMPILER} ${work}/prefix)
set_tests_properties(consumer.add_subdirectory PROPERTIES FIXTURES_REQUIRED consumer_clean)
set_tests_properties(consumer.find_package consumer.pkg_config consumer.installed_files PROPERTIES
  FIXTURES_REQUIRED consumer_install)

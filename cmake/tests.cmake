# Every tests/<folder>/test_<name>.c is one cmocka program and one ctest named <folder>/<name>. A file that
# says 'firn-test: threaded' in a comment also runs under the thread sanitizer (ctest label 'threaded');
# 'firn-test: slow' keeps it out of the sanitizers' builds. Those are slow: of random points, mutants and the like they try
# one in FIRN_FEWER.
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
set(firn_fewer 1)
if(FIRN_SANITIZE)
  set(firn_fewer 7) # a prime, so that every seventh allocation that fails is none of a pattern
endif()
find_program(FIRN_GOLD ld.gold) # links a test in a third of the time
file(GLOB firn_test_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/test_*.c)
foreach(source ${firn_test_sources})
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(folder ${folder} NAME)
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "^test_" "" name ${name})
  file(STRINGS ${source} slow REGEX "firn-test: slow")
  if(slow AND FIRN_SANITIZE)
    continue()
  endif()
  set(target test_${folder}_${name})
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE firn_inside PkgConfig::CMOCKA)
  if(FIRN_GOLD AND NOT FIRN_SANITIZE) # it warns of names of the address sanitizer
    target_link_options(${target} PRIVATE -fuse-ld=gold)
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE FIRN_TEST_DATA="${PROJECT_SOURCE_DIR}/tests"
    FIRN_SOURCE_DIR="${PROJECT_SOURCE_DIR}" FIRN_COMMAND="${PROJECT_BINARY_DIR}/firn" FIRN_FEWER=${firn_fewer})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${folder}/${name} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  file(STRINGS ${source} threaded REGEX "firn-test: threaded")
  if(threaded)
    set_property(TEST ${folder}/${name} APPEND PROPERTY LABELS threaded)
  endif()
  if(slow)
    set_property(TEST ${folder}/${name} APPEND PROPERTY LABELS slow)
    set_property(TEST ${folder}/${name} PROPERTY COST 10) # first, so that no core waits for it at the end
  endif()
  set_tests_properties(${folder}/${name} PROPERTIES TIMEOUT 600)
endforeach()

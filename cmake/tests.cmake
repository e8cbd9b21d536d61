# Every tests/<folder>/test_<name>.c is one cmocka program and one ctest named <folder>/<name>. A file that
# says 'firn-test: threaded' in a comment also runs under the thread sanitizer (ctest label 'threaded');
# 'firn-test: slow' keeps it out of the sanitizers' builds. The label 'lanes' is for folders whose results come from files with a copy
# per instruction set. Sanitizers' builds are slow: of random points, mutants and the like they try
# one in FIRN_FEWER.
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
set(firn_fewer 1)
if(FIRN_SANITIZE)
  set(firn_fewer 7) # a prime, so that every seventh allocation that fails is none of a pattern
endif()
# Either links a test in a third of the time or less. (gold warns of the address sanitizer's own names; no harm.)
find_program(FIRN_TEST_LINKER NAMES ld.lld ld.gold)
string(REGEX REPLACE ".*ld\\." "-fuse-ld=" firn_test_linker "${FIRN_TEST_LINKER}")
file(GLOB firn_test_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/test_*.c)
if(FIRN_MPI) # all else is the same code as without
  list(FILTER firn_test_sources INCLUDE REGEX "/net/test_")
endif()
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
  if(FIRN_TEST_LINKER)
    target_link_options(${target} PRIVATE ${firn_test_linker})
  endif()
  if(FIRN_MOVIE AND target STREQUAL test_draw_movie) # which reads movies back
    target_link_libraries(${target} PRIVATE PkgConfig::LIBAV)
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
  if(folder MATCHES "^(lane|math|snow|geom|solve|mpm|wind|snowfield|pbd|phase|world)$")
    set_property(TEST ${folder}/${name} APPEND PROPERTY LABELS lanes)
  endif()
  set_tests_properties(${folder}/${name} PROPERTIES TIMEOUT 600)
endforeach()

# The command. apps/ sees only include/firn; bench/ may look inside the library, which is why the
# command links firn_inside. It finds its scenes relative to itself (apps/scenes.c).
file(GLOB firn_app_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*.c ${PROJECT_SOURCE_DIR}/bench/*.c)
file(GLOB firn_bench_lane_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*_lanes.c)
list(FILTER firn_app_sources EXCLUDE REGEX "_lanes\\.c$")
firn_isa_copies(firn_bench_lanes "${firn_bench_lane_sources}")
set_property(SOURCE ${firn_app_sources} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
add_executable(firn_command ${firn_app_sources} ${firn_bench_lanes_objects})
target_link_libraries(firn_command PRIVATE firn_inside)
target_include_directories(firn_command PRIVATE ${PROJECT_SOURCE_DIR})
set_target_properties(firn_command PROPERTIES OUTPUT_NAME firn RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

# Manual pages and completion, from the command's own tables.
set(firn_manual ${PROJECT_BINARY_DIR}/manual)
set(firn_completions)
foreach(shell bash zsh fish)
  list(APPEND firn_completions COMMAND sh -c "\"$0\" completion ${shell} > ${firn_manual}/firn.${shell}" $<TARGET_FILE:firn_command>)
endforeach()
add_custom_command(OUTPUT ${firn_manual}/firn.bash
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${firn_manual}
                   COMMAND firn_command man -o ${firn_manual}/man1
                   ${firn_completions}
                   DEPENDS firn_command COMMENT "Manual pages and completion" VERBATIM)
add_custom_target(firn_manual ALL DEPENDS ${firn_manual}/firn.bash)

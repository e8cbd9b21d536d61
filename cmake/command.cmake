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

# The viewer: GLFW and Dear ImGui, one C++ file. Without them `firn view` says what is missing.
if(FIRN_VIEW AND FIRN_DRAW)
  if(CMAKE_C_COMPILER_ID MATCHES Clang AND NOT CMAKE_CXX_COMPILER) # sanitizers and counters of lines go with their own compiler
    find_program(CMAKE_CXX_COMPILER clang++)
  endif()
  include(CheckLanguage)
  check_language(CXX)
  pkg_check_modules(GLFW IMPORTED_TARGET glfw3)
  pkg_check_modules(IMGUI IMPORTED_TARGET imgui)
  pkg_check_modules(GL IMPORTED_TARGET gl)
  if(CMAKE_CXX_COMPILER AND GLFW_FOUND AND IMGUI_FOUND AND GL_FOUND)
    enable_language(CXX)
    set(CMAKE_CXX_STANDARD 17)
    set(CMAKE_CXX_STANDARD_REQUIRED ON)
    set(CMAKE_CXX_FLAGS_RELEASE ${CMAKE_C_FLAGS_RELEASE})
    file(GLOB firn_view_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/view/*.c ${PROJECT_SOURCE_DIR}/apps/view/*.cpp)
    set_property(SOURCE ${firn_view_sources} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
    target_sources(firn_command PRIVATE ${firn_view_sources})
    target_compile_definitions(firn_command PRIVATE FIRN_HAVE_VIEW=1)
    target_link_libraries(firn_command PRIVATE PkgConfig::IMGUI PkgConfig::GLFW PkgConfig::GL)
  else()
    message(STATUS "no viewer: `firn view` needs libglfw3-dev, libimgui-dev and g++")
  endif()
endif()

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

# The command. apps/ sees only include/firn; bench/ may look inside the library, which is why the
# command links the static one.
file(GLOB firn_app_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*.c ${PROJECT_SOURCE_DIR}/bench/*.c)
if(firn_app_sources)
  add_executable(firn_command ${firn_app_sources})
  target_link_libraries(firn_command PRIVATE firn_static)
  target_include_directories(firn_command PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(firn_command PRIVATE FIRN_SOURCE_SCENES="${PROJECT_SOURCE_DIR}/scenes"
                             FIRN_INSTALLED_SCENES="${CMAKE_INSTALL_FULL_DATADIR}/firn/scenes")
  set_target_properties(firn_command PROPERTIES OUTPUT_NAME firn RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()

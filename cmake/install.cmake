# What `make install` leaves: bin/firn, lib/libfirn.so.0.1 and libfirn.a, include/firn, pkg-config and CMake packages, scenes,
# manual pages, completion, documentation and licence.
set(firn_private_modules yaml-0.1 hdf5-serial ode libpng)
if(FIRN_DRAW)
  list(APPEND firn_private_modules epoxy egl)
endif()
list(JOIN firn_private_modules " " FIRN_PRIVATE_MODULES)
# The parts themselves stay shared in a static link, so only their own names are listed, not what they are made of.
set(firn_private_libs ${YAML_LDFLAGS} ${HDF5_LDFLAGS} ${ODE_LDFLAGS} ${PNG_LDFLAGS} ${EPOXY_LDFLAGS} ${EGL_LDFLAGS}
    ${MPI_C_LIBRARIES})
foreach(library ${CMAKE_DL_LIBS})
  list(APPEND firn_private_libs -l${library})
endforeach()
list(REMOVE_DUPLICATES firn_private_libs)
list(JOIN firn_private_libs " " FIRN_PRIVATE_LIBS)
set(MPI_LIBRARY_NAMES)
foreach(library ${MPI_C_LIBRARIES})
  string(APPEND MPI_LIBRARY_NAMES "${library};")
endforeach()
# From lib/<arch>/pkgconfig up to the prefix, so that an installed tree can be moved.
file(RELATIVE_PATH FIRN_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" FIRN_PC_PREFIX ${FIRN_PC_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/firn.pc.in ${PROJECT_BINARY_DIR}/firn.pc @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/firnConfig.cmake.in ${PROJECT_BINARY_DIR}/firnConfig.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/firnConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS firn_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS firn_shared firn_static LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/firn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/firn)
install(FILES ${PROJECT_BINARY_DIR}/firn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_BINARY_DIR}/firnConfig.cmake ${PROJECT_BINARY_DIR}/firnConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/firn)

install(DIRECTORY ${firn_manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${firn_manual}/firn.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME firn)
install(FILES ${firn_manual}/firn.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _firn)
install(FILES ${firn_manual}/firn.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# With pictures the pages are 22 MB; they are read without.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN images EXCLUDE)

# The library. A file src/<folder>/<name>_lanes.c is hot: it is compiled once per instruction set and the
# right copy is chosen at run time (src/base/isa.h). Everything else is compiled once.
#
# Assimp, Cairo, Pango, Embree and FFmpeg are not linked but opened when first used (src/base/library.h): with them every
# command would load 130 more shared libraries. Only their headers are needed here.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
pkg_check_modules(ODE REQUIRED IMPORTED_TARGET ode)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(XXHASH REQUIRED libxxhash) # only its header: src/base/hash.c

file(GLOB_RECURSE firn_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
set(firn_lane_sources ${firn_sources})
list(FILTER firn_lane_sources INCLUDE REGEX "_lanes\\.c$")
list(FILTER firn_sources EXCLUDE REGEX "_lanes\\.c$")
if(FIRN_MPI)
  list(FILTER firn_sources EXCLUDE REGEX "/net/net_one\\.c$")
else()
  list(FILTER firn_sources EXCLUDE REGEX "/net/net_mpi\\.c$")
endif()

add_library(firn_parts INTERFACE)
target_link_libraries(firn_parts INTERFACE firn_settings PkgConfig::YAML PkgConfig::HDF5 PkgConfig::ODE PkgConfig::PNG
                      Threads::Threads m ${CMAKE_DL_LIBS})
target_include_directories(firn_parts INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_include_directories(firn_parts SYSTEM INTERFACE ${XXHASH_INCLUDE_DIRS})
target_compile_definitions(firn_parts INTERFACE FIRN_VERSION_TEXT="${PROJECT_VERSION}")

if(FIRN_MPI) # only the one source sees its headers, which are not written for our warnings
  find_package(MPI REQUIRED COMPONENTS C)
  target_link_libraries(firn_parts INTERFACE ${MPI_C_LIBRARIES})
  list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND "-isystem" OUTPUT_VARIABLE firn_mpi_includes)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/net/net_mpi.c APPEND PROPERTY COMPILE_OPTIONS ${firn_mpi_includes})
endif()
if(FIRN_MESH_FILES)
  pkg_check_modules(ASSIMP REQUIRED assimp)
  target_include_directories(firn_parts SYSTEM INTERFACE ${ASSIMP_INCLUDE_DIRS})
  target_compile_definitions(firn_parts INTERFACE FIRN_HAVE_ASSIMP=1)
  list(GET ASSIMP_LINK_LIBRARIES 0 firn_assimp_file) # .../libassimp.so, a link to libassimp.so.5
  if(IS_SYMLINK ${firn_assimp_file})
    file(READ_SYMLINK ${firn_assimp_file} firn_assimp_file)
  endif()
  get_filename_component(firn_assimp_file ${firn_assimp_file} NAME)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/geom/mesh_import.c APPEND PROPERTY COMPILE_DEFINITIONS
               FIRN_ASSIMP_FILE="${firn_assimp_file}")
endif()
if(FIRN_DRAW)
  pkg_check_modules(EPOXY REQUIRED IMPORTED_TARGET epoxy)
  pkg_check_modules(EGL REQUIRED IMPORTED_TARGET egl)
  pkg_check_modules(CGLM REQUIRED IMPORTED_TARGET cglm)
  target_link_libraries(firn_parts INTERFACE PkgConfig::EPOXY PkgConfig::EGL)
  pkg_check_modules(CAIRO REQUIRED cairo cairo-svg pangocairo fontconfig)
  list(TRANSFORM CAIRO_INCLUDE_DIRS PREPEND "-isystem" OUTPUT_VARIABLE firn_cairo_includes)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/draw/figure_paint.c APPEND PROPERTY COMPILE_OPTIONS -DFIRN_HAVE_CAIRO=1
               ${firn_cairo_includes})
  target_include_directories(firn_parts SYSTEM INTERFACE ${CGLM_INCLUDE_DIRS})
  target_compile_definitions(firn_parts INTERFACE FIRN_HAVE_GL=1)
endif()
# Pictures of final quality need Embree 3. Without it all the rest works, and `firn render --quality final` says what is missing.
if(FIRN_TRACE)
  find_path(EMBREE_INCLUDE embree3/rtcore.h)
  find_library(EMBREE_LIBRARY embree3)
  if(EMBREE_INCLUDE AND EMBREE_LIBRARY)
    file(GLOB firn_trace_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/trace/*.c ${PROJECT_SOURCE_DIR}/apps/licences.c
         ${PROJECT_SOURCE_DIR}/bench/final.c)
    set_property(SOURCE ${firn_trace_sources} APPEND PROPERTY COMPILE_DEFINITIONS FIRN_HAVE_EMBREE=1)
    if(NOT EMBREE_INCLUDE STREQUAL "/usr/include")
      set_property(SOURCE ${firn_trace_sources} APPEND PROPERTY COMPILE_OPTIONS "-isystem${EMBREE_INCLUDE}")
    endif()
  else()
    message(STATUS "Embree 3 is not there (libembree-dev): no pictures of final quality")
  endif()
endif()
if(FIRN_MOVIE)
  pkg_check_modules(LIBAV REQUIRED IMPORTED_TARGET libavcodec libavformat libavutil libswscale)
  target_include_directories(firn_parts SYSTEM INTERFACE ${LIBAV_INCLUDE_DIRS})
  target_compile_definitions(firn_parts INTERFACE FIRN_HAVE_LIBAV=1)
endif()

# Names what the bits of a level set depend on: one that other sources or another compiler built is not used
# again (src/geom/solid_file.c).
file(GLOB firn_solid_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/geom/*.[ch] ${PROJECT_SOURCE_DIR}/src/lane/*.h
     ${PROJECT_SOURCE_DIR}/src/math/*.h ${PROJECT_SOURCE_DIR}/cmake/*.cmake)
set(firn_solid_stamp "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${CMAKE_C_FLAGS} ${FIRN_SANITIZE}")
foreach(source ${firn_solid_sources})
  file(SHA256 ${source} hash)
  string(APPEND firn_solid_stamp " ${hash}")
endforeach()
string(SHA256 firn_solid_stamp "${firn_solid_stamp}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${firn_solid_sources})
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/geom/solid_file.c APPEND PROPERTY COMPILE_DEFINITIONS
             SOLID_STAMP="${firn_solid_stamp}")

# Readers, tables, texts and the description of pictures gain nothing from -O3 but a third of their compile time.
set(firn_cold_sources ${firn_sources})
list(FILTER firn_cold_sources INCLUDE REGEX
     "src/(base|scene|cache|world)/|src/draw/(gather|gl_|shaders|renderer|camera|movie|overlay|plot|figure|info|render|views)|_(params|fields)[a-z_]*\\.c$")
set_property(SOURCE ${firn_cold_sources} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)

add_library(firn_objects OBJECT ${firn_sources})
target_link_libraries(firn_objects PUBLIC firn_parts)
target_compile_definitions(firn_objects PRIVATE FIRN_BUILDING=1 FIRN_SCENES_FOLDER="${CMAKE_INSTALL_FULL_DATADIR}/firn/scenes")
set_target_properties(firn_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
if(FIRN_FUZZ) # the readers tell the fuzzers which ways they took; the physics would only get slower
  set(firn_readers ${firn_sources})
  list(FILTER firn_readers INCLUDE REGEX "src/(base|scene|cache)/|src/geom/(mesh|binvox|image|voxels|levelset|bvh)|_params\\.c$")
  set_property(SOURCE ${firn_readers} APPEND PROPERTY COMPILE_OPTIONS -fsanitize=fuzzer-no-link)
endif()

# firn_isa_copies(PREFIX SOURCES): object libraries PREFIX_base, PREFIX_avx2, PREFIX_avx512 of hot files; their objects go to
# the list PREFIX_objects.
function(firn_isa_copies prefix sources)
  if(NOT sources)
    return()
  endif()
  set(copies base)
  set(lanes_base 4) # one register of SSE2 or NEON; gcc takes wider compares apart lane by lane
  set(flags_base)
  if(FIRN_WIDE AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(flags_base $<$<CONFIG:Release>:-O2>) # processors without AVX2 are rare: quicker to build
    list(APPEND copies avx2)
    if(FIRN_AVX512 AND NOT FIRN_SANITIZE) # slow to build there, and nothing new to be seen
      list(APPEND copies avx512)
    endif()
    set(lanes_avx2 8)
    set(flags_avx2 -mavx2 -mfma)
    set(lanes_avx512 16)
    set(flags_avx512 -mavx2 -mfma -mavx512f -mavx512vl -mavx512dq -mavx512bw -mprefer-vector-width=512)
  endif()
  set(objects)
  foreach(isa ${copies})
    add_library(${prefix}_${isa} OBJECT ${sources})
    target_link_libraries(${prefix}_${isa} PUBLIC firn_parts)
    target_compile_definitions(${prefix}_${isa} PRIVATE FIRN_BUILDING=1 LANES=${lanes_${isa}} ISA=${isa})
    target_include_directories(${prefix}_${isa} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(${prefix}_${isa} PRIVATE -ffp-contract=fast ${flags_${isa}})
    set_target_properties(${prefix}_${isa} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    list(APPEND objects $<TARGET_OBJECTS:${prefix}_${isa}>)
  endforeach()
  set(${prefix}_objects ${objects} PARENT_SCOPE)
endfunction()

if(FIRN_WIDE AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  if(FIRN_AVX512 AND NOT FIRN_SANITIZE)
    target_compile_definitions(firn_parts INTERFACE FIRN_ISA_X86=2)
  else()
    target_compile_definitions(firn_parts INTERFACE FIRN_ISA_X86=1)
  endif()
endif()
# The field sweeps the same cell now with, now without bodies near: both must round alike, so nothing is fused.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/snowfield/snowfield_slump_lanes.c
                    ${PROJECT_SOURCE_DIR}/src/snowfield/snowfield_limit_lanes.c APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=off)
firn_isa_copies(firn_lanes "${firn_lane_sources}")

# firn_inside is the library with all its names, for the command and the tests. A sanitizer's build has it as a
# shared library: to put the whole of it into each of a hundred tests takes a minute. So has that of the coverage, where all lines are
# then counted in one place.
if(FIRN_SANITIZE OR FIRN_COVERAGE)
  add_library(firn_inside SHARED $<TARGET_OBJECTS:firn_objects> ${firn_lanes_objects})
  target_link_libraries(firn_inside PUBLIC firn_parts)
else()
  add_library(firn_inside STATIC $<TARGET_OBJECTS:firn_objects> ${firn_lanes_objects})
  target_link_libraries(firn_inside PUBLIC firn_parts)
  # Both libraries show others only what include/firn names. In the static one all objects are one, whose hidden names are made local:
  # a program may then have its own mesh_read or par_for.
  add_custom_command(
    OUTPUT firn_whole.o
    COMMAND ${CMAKE_LINKER} -r -o firn_whole.o $<TARGET_OBJECTS:firn_objects> ${firn_lanes_objects}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden firn_whole.o
    DEPENDS $<TARGET_OBJECTS:firn_objects> ${firn_lanes_objects}
    COMMAND_EXPAND_LISTS VERBATIM)
  add_library(firn_static STATIC firn_whole.o)
  set_target_properties(firn_static PROPERTIES OUTPUT_NAME firn LINKER_LANGUAGE C)
  add_library(firn_shared SHARED $<TARGET_OBJECTS:firn_objects> ${firn_lanes_objects})
  target_link_libraries(firn_shared PRIVATE firn_parts)
  set_target_properties(firn_shared PROPERTIES OUTPUT_NAME firn VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_link_options(firn_shared PRIVATE -Wl,--no-undefined)
endif()

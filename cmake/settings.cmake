# Compiler settings that every target of firn shares.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
if(FIRN_COVERAGE)
  set(CMAKE_C_FLAGS_RELEASE "-O1 -g1")
elseif(NOT FIRN_SANITIZE)
  set(CMAKE_C_VISIBILITY_PRESET hidden)
  # Nothing that is linked lies outside the system's folders. (CMake would pad a build's RUNPATH with an empty element,
  # which is the current folder.)
  set(CMAKE_SKIP_BUILD_RPATH ON)
  # Asserts stay alive in the release build: no -DNDEBUG.
  set(CMAKE_C_FLAGS_RELEASE "-O3 -g1")
endif()
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")

add_library(firn_settings INTERFACE)
target_compile_definitions(firn_settings INTERFACE _GNU_SOURCE)
target_compile_options(firn_settings INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wvla -Wno-sign-conversion -fno-math-errno -fno-trapping-math)
if(CMAKE_C_COMPILER_ID MATCHES Clang)
  # assert(!"why") is an idiom, not a mistake.
  target_compile_options(firn_settings INTERFACE -Wno-unknown-warning-option -Wno-string-conversion)
else()
  target_compile_options(firn_settings INTERFACE -Wno-psabi)
endif()
if(NOT FIRN_SANITIZE)
  # Hardening: canaries, checked copies and prints, tables that cannot be written after the start.
  target_compile_options(firn_settings INTERFACE -fstack-protector-strong $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
  target_link_options(firn_settings INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
if(FIRN_WERROR)
  target_compile_options(firn_settings INTERFACE -Werror)
endif()
if(FIRN_COVERAGE)
  target_compile_options(firn_settings INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(firn_settings INTERFACE -fprofile-instr-generate)
endif()
if(FIRN_SANITIZE)
  # Without pointer-overflow: clang counts an empty array's NULL + 0 and p[-1 as size_t] as such; the address sanitizer sees
  # what is read and written there.
  target_compile_options(firn_settings INTERFACE -fsanitize=${FIRN_SANITIZE} -fno-sanitize=pointer-overflow
    -fno-sanitize-recover=all -fno-omit-frame-pointer -fno-semantic-interposition)
  target_link_options(firn_settings INTERFACE -fsanitize=${FIRN_SANITIZE})
endif()

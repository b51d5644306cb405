# Two interface targets: how everything is compiled, and which warnings our own code has to stand.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

# Test programs are many and link slowly with the system's linker.
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM AND CARRY_DEVELOPER)
  add_link_options(-fuse-ld=mold)
endif()

add_library(carry_options INTERFACE)
target_compile_features(carry_options INTERFACE cxx_std_20)
target_include_directories(carry_options INTERFACE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
target_compile_definitions(carry_options INTERFACE _FILE_OFFSET_BITS=64 _GNU_SOURCE)
if(CARRY_SANITIZE)
  target_compile_options(carry_options INTERFACE "-fsanitize=${CARRY_SANITIZE}" -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(carry_options INTERFACE "-fsanitize=${CARRY_SANITIZE}")
endif()

add_library(carry_warnings INTERFACE)
target_compile_options(carry_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align -Woverloaded-virtual
  -Wconversion -Wsign-conversion -Wimplicit-fallthrough -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlaps in std::string's own operator+ (GCC bug 105651).
  target_compile_options(carry_warnings INTERFACE -Wno-restrict)
endif()
if(CARRY_DEVELOPER)
  target_compile_options(carry_warnings INTERFACE -Werror)
endif()
if(CMAKE_UNITY_BUILD)
  # A local name may be the name of something in another file.
  target_compile_options(carry_warnings INTERFACE -Wno-shadow)
endif()

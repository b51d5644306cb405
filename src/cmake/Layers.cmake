# carry_layer(NAME SOURCES ... LINKS ...): one static library a room. LINKS names the rooms and packages it
# stands on; tests/layering checks that includes only point down.
function(carry_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(carry_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(carry_${name} PUBLIC carry_options fmt::fmt ${ARG_LINKS} PRIVATE carry_warnings)
endfunction()

# carry_test(NAME SOURCES ... LINKS ... [LABELS ...]): one GoogleTest program; its main is in tests/support.
function(carry_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE carry_options carry_warnings carry_test_support ${ARG_LINKS} GTest::gmock)
  # Test files repeat local names, so they are compiled one by one; see tests/support for the headers.
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  if(CMAKE_UNITY_BUILD)
    target_precompile_headers(${name} REUSE_FROM carry_test_support)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 300)
endfunction()

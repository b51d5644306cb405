# Debian 12's packages; docs/dependencies.md says why each is there.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(libgit2 REQUIRED IMPORTED_TARGET libgit2>=1.5)
find_library(MBEDCRYPTO mbedcrypto REQUIRED) # libgit2's own
pkg_check_modules(yaml-cpp REQUIRED IMPORTED_TARGET yaml-cpp>=0.7)
find_package(fmt 9 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

#include "support/environment.hpp"

#include <gmock/gmock.h>

int main(int argc, char** argv) {
    carry::test::apply_environment();
    ::testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}

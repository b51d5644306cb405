#include "patch/names.hpp"

#include <gtest/gtest.h>

namespace carry::patch {

TEST(PatchNames, OfSubjects) {
    EXPECT_EQ(patch_name_of_subject(3, "Fix the NVFP4 scale: layout (again)"),
              "0003-Fix-the-NVFP4-scale-layout-again.patch");
    EXPECT_EQ(patch_name_of_subject(1, ""), "0001-patch.patch");
    EXPECT_EQ(patch_name_of_subject(1, "../../etc/passwd"), "0001-etc-passwd.patch");
    EXPECT_EQ(patch_name_of_subject(12345, "\xff\n# x"), "12345-x.patch");
    EXPECT_EQ(patch_name_of_subject(1, std::string(200, 'a')), "0001-" + std::string(64, 'a') + ".patch");
}

TEST(PatchNames, OfPathsKeepTheEnd) {
    EXPECT_EQ(patch_name_of_path(2, "python/sglang/server_args.py"), "0002-python-sglang-server_args.py.patch");
    EXPECT_EQ(patch_name_of_path(2, std::string(200, 'a') + "/end.py"),
              "0002-" + std::string(57, 'a') + "-end.py.patch");
    EXPECT_EQ(with_extension("0001-a.b.patch", ".bundle"), "0001-a.b.bundle");
}

} // namespace carry::patch

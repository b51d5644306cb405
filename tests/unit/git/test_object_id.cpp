#include "git/object_id.hpp"

#include <carry/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unordered_set>

namespace carry::git {
namespace {

constexpr std::string_view sha1 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
constexpr std::string_view sha256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

TEST(ObjectId, GoesThroughHexAndRawBytes) {
    for (const auto hex : {sha1, sha256}) {
        const ObjectId id = ObjectId::from_hex(hex);
        EXPECT_EQ(id.hex(), hex);
        EXPECT_EQ(id.short_hex(), hex.substr(0, 9));
        EXPECT_EQ(id.raw().size() * 2, hex.size());
        EXPECT_EQ(ObjectId::from_raw(id.raw()), id);
        EXPECT_FALSE(id.is_null());
    }
    EXPECT_EQ(ObjectId::from_hex("4B825DC642CB6EB9A060E54BF8D69288FBEE4904").hex(), sha1);
}

TEST(ObjectId, AllZerosAreTheNullId) {
    EXPECT_EQ(ObjectId::from_hex(zero_hex(ObjectFormat::sha1)), ObjectId());
    EXPECT_EQ(ObjectId::from_hex(zero_hex(ObjectFormat::sha256)), ObjectId());
    EXPECT_EQ(zero_hex(ObjectFormat::sha1).size(), 40U);
    EXPECT_EQ(zero_hex(ObjectFormat::sha256).size(), 64U);
    EXPECT_EQ(ObjectId().hex(), "");
}

TEST(ObjectId, RefusesWhatIsNoId) {
    EXPECT_THROW(ObjectId::from_hex(""), Error);
    EXPECT_THROW(ObjectId::from_hex(sha1.substr(1)), Error);
    EXPECT_THROW(ObjectId::from_hex("4b825dc642cb6eb9a060e54bf8d69288fbee490g"), Error);
    EXPECT_THROW(ObjectId::from_raw("short"), Error);
}

TEST(ObjectId, IsOrderedByItsBytesAndHashable) {
    const ObjectId low = ObjectId::from_hex(sha1);
    const ObjectId high = ObjectId::from_hex("f" + std::string(sha1.substr(1)));
    EXPECT_LT(low, high);
    EXPECT_LT(ObjectId(), low);
    const std::unordered_set<ObjectId> ids = {low, high, low};
    EXPECT_EQ(ids.size(), 2U);
}

} // namespace
} // namespace carry::git

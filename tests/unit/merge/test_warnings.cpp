// Clean merges that may still be wrong: look-alike blocks, and names by the look of a line.
#include "base/text.hpp"
#include "merge/enclosing.hpp"
#include "merge/identifiers.hpp"
#include "merge/warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carry::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The first line that contains `text`.
std::vector<std::string> blocks_at(std::string_view file, std::string_view text) {
    const auto lines = split_lines(file);
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].find(text) != std::string_view::npos)
            return merge::enclosing_blocks(lines, i);
    return {"no such line"};
}

TEST(Enclosing, BlocksOfMostKindsOfFiles) {
    EXPECT_THAT(blocks_at("class Queue:\n    def run(self, n):\n        # why\n\n        limit = 10\n", "limit"),
                ElementsAre("class Queue", "def run"));
    EXPECT_THAT(blocks_at("static int\nalpha(int a)\n{\n\tif (a) {\n#ifdef X\n\t\tlimit = 10;\n", "limit"),
                ElementsAre("alpha", "if"));
    EXPECT_THAT(blocks_at("def alpha(\n    a,\n):\n    limit = 10\n", "limit"), ElementsAre("def alpha"));
    EXPECT_THAT(blocks_at("a = 1\n[server]\nport = 1\n\nlimit = 10\n", "limit"), ElementsAre("[server]"));
    EXPECT_THAT(blocks_at("jobs:\n  - name: alpha\n    limit: 10\n", "limit"), ElementsAre("jobs", "- name: alpha"));
    EXPECT_THAT(blocks_at("[\n  {\n    \"name\": \"alpha\",\n    \"limit\": 10\n  }\n]\n", "limit"),
                ElementsAre("\"name\": \"alpha\""));
    EXPECT_THAT(blocks_at("{\n  \"alpha\": {\n    \"limit\": 10\n", "limit"), ElementsAre("\"alpha\""));
    EXPECT_THAT(blocks_at("one\ntwo\n", "two"), IsEmpty());
}

/// Warnings of the merge of three versions.
std::vector<merge::MergeWarning> warnings_of(std::string_view base, std::string_view upstream, std::string_view local) {
    const auto merged = merge::merge_text(base, upstream, local, {});
    EXPECT_TRUE(merged && merged->clean);
    return merged ? merge::suspicious(base, upstream, local, *merged) : std::vector<merge::MergeWarning>{};
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    text.replace(text.find(what), what.size(), with);
    return text;
}

struct LookAlike {
    const char* name;
    std::string head;  ///< with ALPHA for the block's own name
    std::string body;  ///< with limit 10
    std::string other; ///< what alpha's body becomes upstream
    std::string tail;
};

/// Upstream gives alpha's body to beta, and alpha another one: git takes beta's for the old alpha's.
TEST(Suspicious, AHunkThatLandsInALookAlikeBlock) {
    const std::vector<LookAlike> kinds{
        {"python functions", "def ALPHA():\n", "    setup()\n    limit = 10\n    run(limit)\n    done()\n\n\n",
         "    queue.open()\n    for job in queue:\n        job.start(5)\n\n\n", "def omega():\n    stop()\n"},
        {"python methods", "    def ALPHA(self):\n",
         "        self.setup()\n        self.limit = 10\n        self.run()\n        self.done()\n\n",
         "        self.queue.open()\n        for job in self.queue:\n            job.start(5)\n\n",
         "    def omega(self):\n        self.stop()\n"},
        {"c functions", "static int\nALPHA(void)\n{\n",
         "\tsetup();\n\tint limit = 10;\n\trun(limit);\n\tdone();\n}\n\n", "\topen(queue);\n\tstart(5);\n}\n\n",
         "static int\nomega(void)\n{\n\tstop();\n}\n"},
        {"sections", "[ALPHA]\n", "host = a\nlimit = 10\nport = 1\nuser = b\n\n", "socket = c\n\n", "[omega]\nx = 1\n"},
        {"yaml", "  - name: ALPHA\n", "    host: a\n    limit: 10\n    port: 1\n    user: b\n", "    socket: c\n",
         "  - name: omega\n    x: 1\n"},
        {"json", "  {\n    \"name\": \"ALPHA\",\n",
         "    \"host\": \"a\",\n    \"limit\": 10,\n    \"port\": 1,\n    \"user\": \"b\"\n  },\n",
         "    \"socket\": \"c\"\n  },\n", "  {\n    \"name\": \"omega\"\n  }\n"},
    };
    for (const auto& kind : kinds) {
        const std::string top = kind.head.front() == ' ' ? "top\n" : "";
        const auto alpha = replaced(kind.head, "ALPHA", "alpha");
        const auto beta = replaced(kind.head, "ALPHA", "beta");
        const auto base = top + alpha + kind.body + kind.tail;
        const auto upstream = top + beta + kind.body + alpha + kind.other + kind.tail;
        const auto local = replaced(base, "10", "99");
        const auto warnings = warnings_of(base, upstream, local);
        ASSERT_EQ(warnings.size(), 1U) << kind.name;
        EXPECT_EQ(warnings[0].kind, "other-function") << kind.name;
        EXPECT_THAT(warnings[0].message, HasSubstr("alpha")) << kind.name;
        EXPECT_THAT(warnings[0].message, HasSubstr("beta")) << kind.name;
        // The same with a line taken away.
        const auto lines = split_lines(base);
        std::string without;
        for (const auto line : lines)
            if (line.find("10") == std::string_view::npos)
                without += line;
        EXPECT_EQ(warnings_of(base, upstream, without).size(), 1U) << kind.name;
    }
}

TEST(Suspicious, WhatMerelyMovedIsNot) {
    const std::string body = "    setup()\n    limit = 10\n    run(limit)\n    done()\n";
    const std::string base = "def alpha():\n" + body + "\n\ndef omega():\n    stop()\n";
    const auto local = replaced(base, "10", "99");
    EXPECT_THAT(warnings_of(base, "import os\n\n\ndef beta():\n    pass\n\n\n" + base, local), IsEmpty());
    EXPECT_THAT(warnings_of(base, replaced(base, "alpha", "renamed"), local), IsEmpty());
    EXPECT_THAT(warnings_of(base, replaced(base, "def alpha()", "def alpha(queue)"), local), IsEmpty());
    EXPECT_THAT(warnings_of(base, "class Jobs:\n    x = 1\n\n\n" + base, local), IsEmpty());
}

std::vector<std::string> names(std::string_view line, std::string_view language, bool defined) {
    std::vector<std::string> result;
    for (const auto& identifier : merge::identifiers_in(line, language))
        if (identifier.defined == defined)
            result.emplace_back(identifier.name);
    return result;
}

TEST(Identifiers, WhatALineDefinesAndUses) {
    const auto defined = [](std::string_view line, std::string_view language) { return names(line, language, true); };
    EXPECT_THAT(defined("def load_cfg(path):\n", "py"), ElementsAre("load_cfg"));
    EXPECT_THAT(defined("LIMIT = compute(size)\n", "py"), ElementsAre("LIMIT"));
    EXPECT_THAT(defined("static struct cfg *load_cfg(const char *path)\n", "c"), ElementsAre("load_cfg"));
    EXPECT_THAT(defined("#define MAX_JOBS 4\n", "c"), ElementsAre("MAX_JOBS"));
    EXPECT_THAT(defined("\tunsigned int flags;\n", "c"), ElementsAre("flags"));
    EXPECT_THAT(defined("func (q *Queue) Push(job Job) {\n", "go"), ElementsAre("Push"));
    EXPECT_THAT(defined("pub fn push(&mut self) {\n", "rs"), ElementsAre("push"));
    EXPECT_THAT(defined("  push(job) {\n", "js"), ElementsAre("push"));
    EXPECT_THAT(defined("load_cfg() {\n", "sh"), ElementsAre("load_cfg"));
    EXPECT_THAT(defined("    return load_cfg(path)\n", "py"), IsEmpty());
    EXPECT_THAT(defined("    if (count > limit(job))\n", "c"), IsEmpty());
    EXPECT_THAT(defined("import load_cfg\n", "py"), IsEmpty());
    EXPECT_THAT(names("x = load_cfg(\"not this\")  # nor this\n", "py", false), ElementsAre("load_cfg"));
    EXPECT_THAT(names("\tjob->start(); // nor this\n", "c", false), ElementsAre("job", "start"));
    EXPECT_THAT(names("echo \"$load_cfg\" # nor this\n", "sh", false), ElementsAre("load_cfg"));
    EXPECT_EQ(merge::language_of("a/b.HPP"), merge::language_of("c.cu"));
    EXPECT_EQ(merge::language_of("README.md"), "");
}

} // namespace
} // namespace carry::test

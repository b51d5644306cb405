#include "cli/ui.hpp"

#include <gmock/gmock.h>

namespace carry::test {
namespace {

class UiTest : public ::testing::Test {
protected:
    cli::Ui ui(cli::Terminal terminal = {}) {
        return {[this](std::string_view text) { m_output += text; }, [this](std::string_view text) { m_error += text; },
                terminal};
    }
    static cli::Terminal terminal() {
        cli::Terminal terminal;
        terminal.error = true;
        terminal.error_width = 20;
        return terminal;
    }

    std::string m_output;
    std::string m_error;
};

TEST_F(UiTest, ProgressIsForTerminalsOnly) {
    {
        cli::Ui plain = ui();
        plain.progress({"fetch", "45 %"});
    }
    EXPECT_EQ(m_error, "");
    {
        cli::Ui shown = ui(terminal());
        shown.progress({"fetch", "45 %"});
        shown.progress({"fetch", "45 %"});
        EXPECT_EQ(m_error, "\r\x1b[Kfetch: 45 %");
        shown.result("done\n");
        EXPECT_EQ(m_error, "\r\x1b[Kfetch: 45 %\r\x1b[K"); // gone before the result
        EXPECT_EQ(m_output, "done\n");
    }
}

TEST_F(UiTest, ProgressStaysOnItsLine) {
    cli::Ui shown = ui(terminal());
    shown.progress({"fetch", "r\xc3\xa9"
                             "ception de beaucoup d'objets\nfoo\x1b[2J"});
    EXPECT_EQ(m_error, "\r\x1b[Kfetch: r\xc3\xa9"
                       "ception de");
}

TEST_F(UiTest, QuietSaysNeitherProgressNorNotes) {
    cli::Ui quiet = ui(terminal());
    quiet.set_quiet(true);
    quiet.progress({"fetch", "45 %"});
    quiet.note("finished the upgrade that was interrupted");
    EXPECT_EQ(m_error, "");
}

TEST_F(UiTest, AFailureHasCausesAndHints) {
    cli::Ui said = ui();
    said.failure("cannot fetch 'origin'", {"git fetch failed", "fatal: a\nfatal: b\x1b[2J"}, {"try again"});
    EXPECT_EQ(m_error, "git-carry: cannot fetch 'origin'\n"
                       "  git fetch failed\n"
                       "  fatal: a\n"
                       "  fatal: b\\x1b[2J\n"
                       "hint: try again\n");
}

TEST_F(UiTest, ABrokenStandardErrorIsNoFailure) {
    cli::Ui deaf([](std::string_view) {}, [](std::string_view) { throw Error(ErrorKind::failed, "gone"); }, {});
    EXPECT_NO_THROW(deaf.failure("x", {}, {}));
    EXPECT_NO_THROW(deaf.note("x"));
}

} // namespace
} // namespace carry::test

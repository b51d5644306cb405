/// Running a program without a shell: argument vectors, its own environment, bytes in and out.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carry {

/// What to run. The child inherits the environment of git-carry with `environment` laid over it.
struct ProcessSpec {
    std::vector<std::string> argv; ///< argv[0] is looked up on the PATH
    /// Set (value) or removed (nullopt) in the child.
    std::vector<std::pair<std::string, std::optional<std::string>>> environment = {};
    std::filesystem::path directory = {}; ///< where it runs; empty: where we are
    std::string input = {};               ///< its standard input; empty: /dev/null
    /// Each piece of standard error as it arrives (progress); it is collected all the same.
    std::function<void(std::string_view)> on_error_output = {};
    /// Each piece of standard output as it arrives; where set, it is not collected.
    std::function<void(std::string_view)> on_output = {};
    /// Ended (SIGTERM, then SIGKILL) where neither stream says anything for this long; zero: never.
    std::chrono::milliseconds stall_timeout{0};
    /// Ended in the same way where it still runs after this long; zero: never.
    std::chrono::milliseconds time_limit{0};
    bool merge_error_output = false; ///< standard error goes where standard output goes
};

struct ProcessResult {
    int exit_code = 0;    ///< 128 + signal where a signal ended it, as shells say it
    bool stalled = false; ///< ended by one of the two limits
    std::string output;
    std::string error_output;
    [[nodiscard]] bool ok() const noexcept { return exit_code == 0; }
};

/// Runs to the end. Throws Error{failed} only where it cannot be started ("cannot run 'git'"), and
/// Error{interrupted} where a signal asked us to stop (the child is ended first). The child gets SIGTERM when
/// git-carry dies (PR_SET_PDEATHSIG).
ProcessResult run_process(const ProcessSpec& spec);

/// A child that is talked to over pipes (git cat-file --batch, git update-ref --stdin). The destructor closes its
/// input, waits for it, and ends it where it does not go by itself.
class Child {
public:
    explicit Child(const ProcessSpec& spec); ///< `input` and the callbacks are not used
    Child(Child&&) noexcept;
    Child& operator=(Child&&) noexcept;
    ~Child();

    void write(std::string_view bytes); ///< throws Error{failed} where the child has gone
    /// Up to and without the next `terminator`. Throws Error{failed} at end of file.
    std::string read_until(char terminator);
    std::string read_exactly(std::size_t size);
    void close_input();
    /// Closes its input and waits; 128 + signal as above. Remaining output is dropped.
    int wait();
    /// What it has said on standard error so far.
    [[nodiscard]] std::string error_output();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace carry

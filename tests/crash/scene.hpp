/// A checkout before a command, and the states that the command may leave it in: the old one and the new one.
#pragma once

#include "state.hpp"
#include "support/faults.hpp"
#include "support/temp_repo.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carry::crash {

/// "status", "upgrade", "upgrade --verify", "upgrade --park", "upgrade --mark", "continue", "undo"; its exit code.
/// Another exception than carry::Error is 50.
int run_command(const std::filesystem::path& checkout, const std::string& command);

/// The same in a child process of its own, which may be armed; 128 + signal where one ended it.
int run_in_child(const std::filesystem::path& checkout, const std::string& command,
                 const std::optional<test::Fault>& fault = std::nullopt);

enum class Expected { either, old_state, new_state };

/// A command that comes after the crash, and what is there when it has ended.
struct NextCommand {
    std::string command;
    Expected expected;
    int exit_code = 0;
};

class Scene {
public:
    /// Both are wiped and made anew; the command is run once to learn the new state.
    Scene(std::string name, test::TempRepo upstream, test::TempRepo work, std::string command, int exit_code,
          std::vector<NextCommand> next, std::vector<std::string> submodules = {});

    /// The checkout as it was before the command.
    void reset() const;
    /// Another beginning: what is on disk now becomes the template, the two states stay.
    void begin_here(std::string name, std::string command);

    [[nodiscard]] const std::string& name() const noexcept { return m_name; }
    [[nodiscard]] const std::string& command() const noexcept { return m_command; }
    [[nodiscard]] const std::filesystem::path& checkout() const noexcept { return m_work.path(); }
    [[nodiscard]] const std::vector<NextCommand>& next() const noexcept { return m_next; }
    [[nodiscard]] const State& old_state() const noexcept { return m_old; }
    [[nodiscard]] const State& new_state() const noexcept { return m_new; }
    [[nodiscard]] int exit_code() const noexcept { return m_exit_code; }
    [[nodiscard]] bool is_sound() const { return crash::is_sound(checkout(), m_checkouts); }

private:
    std::string m_name;
    test::TempRepo m_upstream, m_work;
    std::string m_command;
    int m_exit_code;
    std::vector<NextCommand> m_next;
    std::vector<std::string> m_checkouts;
    std::unique_ptr<TemporaryDirectory> m_template;
    State m_old, m_new;
};

/// Every kind of transition at once; uncommitted changes of every kind stay in place through it.
Scene upgrade_scene();
/// The way back from there.
Scene undo_scene();
/// With a verification, which makes the run pass through one more state.
Scene verify_scene();
/// A conflict that is set aside.
Scene park_scene();
/// Conflicts that a person has resolved.
Scene continue_scene();
/// A submodule with a local edit, which upstream moves.
Scene submodule_scene();

} // namespace carry::crash

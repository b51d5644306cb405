/// What the tests of this folder share: a Program and ids for a test repository.
#pragma once

#include "git/object_id.hpp"
#include "git/object_store.hpp"
#include "git/program.hpp"
#include "support/temp_repo.hpp"

#include <carry/error.hpp>

#include <cstdlib>
#include <string>

namespace carry::git {

inline RepositoryPaths checkout_paths(const test::TempRepo& repo) {
    return {repo.path(), repo.git_directory(), repo.git_directory()};
}

inline Program program_of(const test::TempRepo& repo) {
    prepare_object_directory(checkout_paths(repo));
    return Program(checkout_paths(repo));
}

inline ObjectId id_of(const test::TempRepo& repo, const std::string& revision) {
    return ObjectId::from_hex(repo.git_line("rev-parse", "--verify", revision));
}

/// An environment variable of this process, put back at the end.
class ScopedVariable {
public:
    ScopedVariable(std::string name, const std::string& value) : m_name(std::move(name)) {
        if (const char* old = std::getenv(m_name.c_str()))
            m_old = old;
        setenv(m_name.c_str(), value.c_str(), 1);
    }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;
    ~ScopedVariable() {
        if (m_old)
            setenv(m_name.c_str(), m_old->c_str(), 1);
        else
            unsetenv(m_name.c_str());
    }

private:
    std::string m_name;
    std::optional<std::string> m_old;
};

/// The Error that `action` throws; nothing where it throws none.
template <typename Action>
std::optional<Error> error_of(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        return error;
    }
    return std::nullopt;
}

inline std::string causes_of(const Error& error) {
    std::string text;
    for (const auto& cause : error.causes())
        text += cause + "\n";
    return text;
}

inline std::string hints_of(const Error& error) {
    std::string text;
    for (const auto& hint : error.hints())
        text += hint + "\n";
    return text;
}

} // namespace carry::git

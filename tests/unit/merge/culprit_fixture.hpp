/// What the tests of culprits share: one repository, one file and its history.
#pragma once

#include "merge/culprit.hpp"
#include "support/lines.hpp"
#include "support/temp_repo.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace carry::merge {

inline std::vector<std::string> subjects(const std::vector<git::CommitInfo>& commits) {
    std::vector<std::string> result;
    for (const auto& commit : commits)
        result.push_back(commit.subject);
    return result;
}

class Culprit : public testing::Test {
protected:
    /// A commit of `bytes` as the file, from which histories start.
    std::string start(std::string_view bytes) {
        m_repo.write("file", bytes);
        m_base = m_repo.commit("base");
        return m_base;
    }
    void change(std::string_view bytes, std::string_view subject) {
        m_repo.write("file", bytes);
        m_repo.commit(subject);
    }
    /// Replaces one line of the file as it is now.
    void change_line(std::size_t n, std::string_view line, std::string_view subject) {
        change(test::set_line(m_repo.read("file"), n, line), subject);
    }
    LineHistory history(const std::string& path = "file", const std::string& new_path = {}) {
        if (!m_opened)
            m_opened.emplace(git::Repository::open(m_repo.path()));
        return {*m_opened, git::ObjectId::from_hex(m_base), git::ObjectId::from_hex(m_repo.head()), path, new_path};
    }
    std::optional<git::TreeEntry> entry(const std::string& path) {
        if (!m_opened)
            m_opened.emplace(git::Repository::open(m_repo.path()));
        auto& trees = m_opened->trees();
        return trees.find(trees.tree_of_commit(git::ObjectId::from_hex(m_repo.head())), path);
    }

    test::TempRepo m_repo;
    std::string m_base;
    std::optional<git::Repository> m_opened;
};

} // namespace carry::merge

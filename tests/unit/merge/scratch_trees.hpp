/// Trees and commits for merge tests, written straight into a repository's private object directory.
#pragma once

#include "git/commit.hpp"
#include "git/repository.hpp"
#include "support/scratch_files.hpp"
#include "support/temp_repo.hpp"

#include <string>
#include <utility>
#include <vector>

namespace carry::test {

/// An empty repository whose object store holds what tests write into it.
class ScratchRepository {
public:
    explicit ScratchRepository(bool program_store = false) : m_repository(git::Repository::open(m_files.path())) {
        m_repository.use_program_store(program_store);
    }

    git::Repository& repository() { return m_repository; }
    /// The working tree, for .gitattributes and configuration; open() again after a change of the latter.
    [[nodiscard]] const TempRepo& files() const { return m_files; }
    void reopen() { m_repository = git::Repository::open(m_files.path()); }

    git::ObjectId tree(const ScratchFiles& files) {
        git::TreeEdits edits;
        for (const auto& [path, file] : files)
            edits[path] = entry(file);
        return m_repository.trees().edit({}, edits);
    }

    git::TreeEntry entry(const ScratchFile& file) {
        if (file.mode == git::mode::gitlink)
            return {file.mode, git::ObjectId::from_hex(file.bytes)};
        return {file.mode, m_repository.objects().write(git::ObjectType::blob, file.bytes)};
    }

    /// What `tree` holds, as tree() takes it.
    ScratchFiles content(const git::ObjectId& tree) {
        ScratchFiles files;
        for (const auto& [path, entry] : m_repository.trees().leaves(tree))
            files.emplace(path, ScratchFile(bytes(entry), entry.mode));
        return files;
    }

    std::string bytes(const git::TreeEntry& entry) {
        if (entry.is_gitlink())
            return entry.id.hex();
        return m_repository.objects().require(entry.id, git::ObjectType::blob);
    }

    git::ObjectId commit(const git::ObjectId& tree, const std::vector<git::ObjectId>& parents,
                         const std::string& message = "a change\n") {
        git::Commit commit;
        commit.tree = tree;
        commit.parents = parents;
        commit.author = "A Uthor <author@example.com> 1767225600 +0100";
        commit.committer = "C Ommitter <committer@example.com> 1767225660 +0000";
        commit.message = message;
        return m_repository.objects().write(git::ObjectType::commit, commit.serialize());
    }

    /// git with the private objects in its sight.
    ProcessResult git(const std::vector<std::string>& args, std::string input = {}) {
        git::RunOptions options;
        options.private_objects = true;
        options.input = std::move(input);
        return m_repository.program().run(args, options);
    }

private:
    TempRepo m_files;
    git::Repository m_repository;
};

} // namespace carry::test

/// Trees and commits for merge tests, written straight into a repository's private object directory.
#pragma once

#include "git/commit.hpp"
#include "git/repository.hpp"
#include "support/temp_repo.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carry::test {

/// One entry of a scratch tree; made from a text it is a regular file.
struct ScratchFile {
    ScratchFile(std::string bytes_) : bytes(std::move(bytes_)) {}
    ScratchFile(const char* bytes_) : bytes(bytes_) {}
    ScratchFile(std::string bytes_, std::uint32_t mode_) : bytes(std::move(bytes_)), mode(mode_) {}
    std::string bytes; ///< of a gitlink: the commit's hex id
    std::uint32_t mode = git::mode::file;
    friend bool operator==(const ScratchFile&, const ScratchFile&) = default;
};
using ScratchFiles = std::map<std::string, ScratchFile>;

inline ScratchFile executable(std::string bytes) {
    return {std::move(bytes), git::mode::executable};
}
inline ScratchFile link_to(std::string target) {
    return {std::move(target), git::mode::link};
}
inline ScratchFile submodule_at(std::string hex) {
    return {std::move(hex), git::mode::gitlink};
}

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
    ProcessResult git(const std::vector<std::string>& args) {
        git::RunOptions options;
        options.private_objects = true;
        return m_repository.program().run(args, options);
    }

private:
    TempRepo m_files;
    git::Repository m_repository;
};

} // namespace carry::test

/// git's index.lock, taken so that it can be told from anybody else's after a crash.
#pragma once

#include "git/program.hpp"

#include <filesystem>
#include <string>

namespace carry::transaction {

/// The lock is a hard link to a file of ours below carry/, whose inode proves it; where the file system has no hard
/// links, its content does. It outlives this object: release() is called when everything is in place.
class IndexLock {
public:
    IndexLock(const git::RepositoryPaths& paths, const std::string& token);
    /// Throws Error{failed} "another process holds '.../index.lock'". Nothing happens where it is ours already.
    void take();
    [[nodiscard]] bool is_ours() const;
    /// Removes it where it is ours, and the file that proves it.
    void release();

private:
    std::filesystem::path m_lock;
    std::filesystem::path m_proof;
    std::string m_content;
};

} // namespace carry::transaction

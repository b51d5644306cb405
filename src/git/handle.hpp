/// Owners of libgit2's handles: freed by the destructor, never by hand.
#pragma once

#include <git2.h>
#include <git2/sys/odb_backend.h>

#include <memory>

namespace carry::git {

/// Frees a handle with the libgit2 function that belongs to its type.
template <auto Free>
struct HandleDeleter {
    template <typename T>
    void operator()(T* handle) const noexcept {
        Free(handle);
    }
};

/// A backend frees itself; once an odb has taken it, release() it.
struct BackendDeleter {
    void operator()(git_odb_backend* backend) const noexcept { backend->free(backend); }
};

using OdbHandle = std::unique_ptr<git_odb, HandleDeleter<&git_odb_free>>;
using OdbObjectHandle = std::unique_ptr<git_odb_object, HandleDeleter<&git_odb_object_free>>;
using PatchHandle = std::unique_ptr<git_patch, HandleDeleter<&git_patch_free>>;
using OdbBackendHandle = std::unique_ptr<git_odb_backend, BackendDeleter>;

/// git_merge_file's result, a plain struct that owns its bytes.
class MergeFileResult {
public:
    MergeFileResult() = default;
    MergeFileResult(const MergeFileResult&) = delete;
    MergeFileResult& operator=(const MergeFileResult&) = delete;
    ~MergeFileResult() { git_merge_file_result_free(&m_result); }
    git_merge_file_result* get() noexcept { return &m_result; }
    git_merge_file_result* operator->() noexcept { return &m_result; }

private:
    git_merge_file_result m_result{};
};

} // namespace carry::git

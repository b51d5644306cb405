/// Everything that can fail is done before anything has changed.
#pragma once

#include "transaction/apply.hpp"
#include "transaction/work.hpp"

#include <vector>

namespace carry::transaction {

/// Decides what has to happen, in `work`; nothing is written. Throws Error{failed}.
void plan(Work& work, const std::vector<Participant>& participants, const ApplyOptions& options);

/// What is made before the commit record. The destructor takes it all back, commit() keeps it.
class Preparation {
public:
    explicit Preparation(Work& work) : m_work(work) {}
    Preparation(const Preparation&) = delete;
    Preparation& operator=(const Preparation&) = delete;
    ~Preparation();

    /// Journal, index.lock, new files, and a look at all that is to change.
    void make(const ProgressCallback& progress);
    void lock_refs();
    /// Writes the commit record. The point of no return.
    void commit();

private:
    Work& m_work;
    bool m_committed = false;
};

} // namespace carry::transaction

/// System calls that fail, or kill the process, when their turn comes.
#pragma once

#include <string>

namespace carry::transaction::lab {

/// What happens to one of the calls that change something on disk, or open it.
struct Fault {
    int at = -1;          ///< which call, counted from arming; -1: none
    int error = 0;        ///< errno of the failing call; 0: the process dies before it
    bool forever = false; ///< every call from there on fails, but for those that need no room on the disk
};

/// Counts from zero, in this process and until disarm().
void arm(const Fault& fault);
/// Returns how many calls there were.
int disarm();
/// The call that was hit: "renameat2".
std::string last_hit();

} // namespace carry::transaction::lab

#include "transaction/transition.hpp"

#include <utility>

namespace carry::transaction {

CheckoutMove reversed(const CheckoutMove& move, std::string reflog_message) {
    CheckoutMove back = move;
    for (auto& transition : back.transitions)
        std::swap(transition.before, transition.after);
    std::swap(back.made_directories, back.dropped_directories);
    if (back.index) {
        std::swap(back.index->before, back.index->after);
        std::swap(back.index->before_time, back.index->after_time);
    }
    for (auto& ref : back.refs)
        std::swap(ref.before, ref.after);
    std::swap(back.head_before, back.head_after);
    back.reflog_message = std::move(reflog_message);
    return back;
}

} // namespace carry::transaction

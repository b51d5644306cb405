#include "transaction/transition.hpp"

#include <utility>

namespace carry::transaction {

CheckoutMove reversed(const CheckoutMove& move, std::string reflog_message) {
    CheckoutMove back = move;
    for (auto& transition : back.transitions)
        std::swap(transition.before, transition.after);
    if (back.index)
        std::swap(back.index->before, back.index->after);
    for (auto& ref : back.refs)
        std::swap(ref.before, ref.after);
    std::swap(back.head_before, back.head_after);
    back.reflog_message = std::move(reflog_message);
    return back;
}

} // namespace carry::transaction

#include "enumeration.hpp"

#include "bounds.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>

namespace carry::crash {
namespace {

using test::CallKind;
using test::Fault;

/// In a bounded run; `weight` times as many are passed over.
constexpr std::size_t bounded_stride = 80;

std::vector<int> errors_of(CallKind kind) {
    switch (kind) {
    case CallKind::look:
        return {EIO};
    case CallKind::open:
        return {EIO, EACCES, EMFILE};
    case CallKind::make:
        return {EIO, ENOSPC, EDQUOT, EACCES, EMFILE};
    case CallKind::write:
        return {EIO, ENOSPC, EDQUOT, EINTR, test::short_write};
    case CallKind::sync:
        return {EIO, ENOSPC, EDQUOT, EINTR};
    case CallKind::change:
        return {EIO, ENOSPC, EACCES};
    case CallKind::start:
        return {EAGAIN, EMFILE};
    }
    return {};
}

std::string name_of(int error) {
    return error == test::short_write ? "short write" : error == 0 ? "kill" : strerrorname_np(error);
}

} // namespace

Enumeration::Enumeration(Scene scene) : m_scene(std::move(scene)) {}

Enumeration::~Enumeration() {
    std::cout << fmt::format("{}: {} of {} cases", m_scene.name(), m_tried, m_possible);
    if (!is_full())
        std::cout << ", CARRY_SEED=" << offset();
    for (const auto& [code, count] : m_endings)
        std::cout << fmt::format("; {} x {}", count, code >= 128 ? "killed" : fmt::format("exit {}", code));
    std::cout << '\n';
}

std::vector<test::CountedCall> Enumeration::calls(test::Kinds kinds) {
    m_scene.reset();
    Fault none;
    none.counted = kinds;
    EXPECT_LE(run_in_child(m_scene.checkout(), m_scene.command(), none), 4);
    auto counted = test::counted_calls();
    EXPECT_GT(counted.size(), 30U);
    return counted;
}

Enumeration& Enumeration::kills(int weight) {
    std::vector<Case> cases;
    const auto all = calls(test::lasting);
    for (std::size_t n = 0; n < all.size(); ++n)
        cases.push_back({{static_cast<int>(n), 0, false, test::lasting}, all[n].name});
    run(cases, weight);
    return *this;
}

Enumeration& Enumeration::failures(int weight) {
    for (const auto kinds : {test::lasting, test::reading}) {
        std::vector<Case> cases;
        const auto all = calls(kinds);
        for (std::size_t n = 0; n < all.size(); ++n) {
            for (const int error : errors_of(all[n].kind))
                cases.push_back({{static_cast<int>(n), error, false, kinds}, all[n].name});
            if (all[n].kind == CallKind::make || all[n].kind == CallKind::write)
                cases.push_back({{static_cast<int>(n), ENOSPC, true, kinds}, all[n].name});
        }
        run(cases, kinds == test::lasting ? weight * 3 : weight * 10);
    }
    return *this;
}

void Enumeration::run(const std::vector<Case>& cases, int weight) {
    const std::size_t stride = is_full() ? full_stride() : bounded_stride * static_cast<std::size_t>(weight);
    m_possible += cases.size();
    for (std::size_t n = offset() % stride; n < cases.size(); n += stride) {
        const auto& one = cases[n];
        SCOPED_TRACE(fmt::format("{}: {} {} at call {}{}, then {}", m_scene.name(), name_of(one.fault.error), one.name,
                                 one.fault.at, one.fault.forever ? " and on" : "",
                                 m_scene.next()[m_next % m_scene.next().size()].command));
        run(one);
        ++m_tried;
    }
}

void Enumeration::run(const Case& one) {
    m_scene.reset();
    const int code = run_in_child(m_scene.checkout(), m_scene.command(), one.fault);
    ++m_endings[code];
    const bool died = one.fault.error == 0;
    const auto is_one_of = [&](std::initializer_list<int> codes) {
        return std::count(codes.begin(), codes.end(), code);
    };
    if (!died || code != 128 + SIGKILL) {
        EXPECT_TRUE(is_one_of({m_scene.exit_code(), 0, 1, 2, 6, 9})) << "exit code " << code;
    }
    // what could not be removed at the end is left to the next command
    if (code == m_scene.exit_code() && m_scene.command() != "status" && leftovers(m_scene.checkout()).empty()) {
        EXPECT_THAT(m_scene.new_state().differences_now(), ::testing::IsEmpty()) << "it said that it was done";
    }
    // New with exit 1: everything has landed, and then the record of it could not be written.
    if (is_one_of({1, 2, 6}) && m_scene.command() != "status")
        check_state(Expected::either);
    check_next(m_scene.next()[m_next++ % m_scene.next().size()]);
}

void Enumeration::check_next(const NextCommand& next) {
    const int code = run_in_child(m_scene.checkout(), next.command);
    if (next.exit_code >= 0) {
        EXPECT_EQ(code, next.exit_code) << next.command;
    }
    check_state(next.expected);
    EXPECT_THAT(leftovers(m_scene.checkout()), ::testing::IsEmpty()) << next.command;
    if (m_next % 4 == 0) {
        EXPECT_TRUE(m_scene.is_sound());
    }
}

void Enumeration::check_state(Expected expected) {
    if (expected == Expected::either && (m_scene.old_state().is_surely_now() || m_scene.new_state().is_surely_now()))
        return;
    if (expected == Expected::new_state) {
        EXPECT_THAT(m_scene.new_state().differences_now(), ::testing::IsEmpty());
        return;
    }
    const auto from_old = m_scene.old_state().differences_now();
    const bool is_new = expected == Expected::either && m_scene.new_state().differences_now().empty();
    if (!is_new) {
        EXPECT_THAT(from_old, ::testing::IsEmpty());
    }
}

Fault middle_of_the_move(const Scene& scene) {
    scene.reset();
    Fault none;
    none.counted = test::lasting;
    run_in_child(scene.checkout(), scene.command(), none);
    const auto calls = test::counted_calls();
    std::vector<int> moves;
    for (std::size_t n = 0; n < calls.size(); ++n)
        if (calls[n].name == "renameat2")
            moves.push_back(static_cast<int>(n));
    scene.reset();
    return {moves.at(moves.size() / 2), 0, false, test::lasting};
}

} // namespace carry::crash

#include "trial.hpp"

#include "generated_checkout.hpp"
#include "seeds.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace carry::test {
namespace {

std::string words_of(const Error& error) {
    std::string text = error.message();
    for (const auto& cause : error.causes())
        text += "\n    " + cause;
    return text;
}

/// What fails, in words.
std::string failure_of(const Scripts& scripts, OnConflict policy, const Property& property, Tally& tally) {
    Trial trial(scripts, policy);
    const auto further = [&](const Scripts& some) {
        return some.empty() || some.size() >= scripts.size() ? "" : failure_of(some, policy, property, tally);
    };
    try {
        const auto rest = property(trial, scripts, tally);
        return trial.failure() + further(rest);
    } catch (const Error& error) {
        trial.expect_state(trial.before(), "a refusal (" + error.message() + ")");
        if (error.kind() != ErrorKind::refused)
            trial.expect(false, "fails: " + words_of(error));
        else if (scripts.size() == 1)
            ++tally["refused: " + error.message()];
        else {
            const auto middle = scripts.begin() + static_cast<std::ptrdiff_t>(scripts.size() / 2);
            return trial.failure() + further({scripts.begin(), middle}) + further({middle, scripts.end()});
        }
    } catch (const std::logic_error&) {
        throw; // the test's own
    } catch (const std::exception& error) {
        trial.expect(false, fmt::format("throws {}", error.what()));
    }
    return trial.failure();
}

} // namespace

Trial::Trial(const Scripts& scripts, OnConflict policy)
    : m_repo(make_checkout(scripts)), m_policy(policy), m_before(fingerprint(m_repo.path())) {}

Request Trial::request_in(const TempRepo& repo) const {
    Request request;
    request.directory = repo.path();
    request.command_line = [policy = m_policy](Settings& settings) {
        settings.offline = true;
        settings.on_conflict = policy;
    };
    return request;
}

void Trial::expect(bool holds, const std::string& what) {
    if (!holds)
        m_failure += what + "\n";
}

void Trial::expect_same(const std::string& before, const std::string& after, const std::string& what) {
    expect(before == after, fmt::format("{} differs; before:\n{}after:\n{}", what, before, after));
}

void Trial::expect_state(const Fingerprint& wanted, const std::string& when) {
    for (const auto& difference : differences(wanted, fingerprint(m_repo.path())))
        expect(false, when + ": " + difference);
}

Tally hold(unsigned first, unsigned count, Kind kind, OnConflict policy, const Property& property) {
    Tally tally;
    for (const auto& batch : batches(seeds(first, count))) {
        const auto scripts = make_scripts(batch, kind);
        if (failure_of(scripts, policy, property, tally).empty())
            continue;
        ADD_FAILURE() << shrunk(scripts, [&](const Scripts& some) {
            Tally ignored;
            return failure_of(some, policy, property, ignored);
        });
    }
    for (const auto& [what, times] : tally)
        fmt::print("  {} x {}\n", times, what);
    return tally;
}

} // namespace carry::test

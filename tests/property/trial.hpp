/// A property of the tool, tried on generated checkouts.
#pragma once

#include "edit_script.hpp"
#include "support/fingerprint.hpp"
#include "support/temp_repo.hpp"

#include <carry/commands.hpp>
#include <carry/error.hpp>

#include <functional>
#include <map>
#include <string>

namespace carry::test {

/// How the cases of a test went: it would say nothing if all went the same way.
using Tally = std::map<std::string, std::size_t>;

/// One generated checkout, and what it did not do as it should have.
class Trial {
public:
    Trial(const Scripts& scripts, OnConflict policy);

    [[nodiscard]] const TempRepo& repo() const { return m_repo; }
    [[nodiscard]] const Fingerprint& before() const { return m_before; }
    /// Offline, with the policy.
    [[nodiscard]] Request request() const { return request_in(m_repo); }
    [[nodiscard]] Request request_in(const TempRepo& repo) const;
    [[nodiscard]] const std::string& failure() const { return m_failure; }

    void expect(bool holds, const std::string& what);
    void expect_same(const std::string& before, const std::string& after, const std::string& what);
    void expect_state(const Fingerprint& wanted, const std::string& when);

private:
    TempRepo m_repo;
    OnConflict m_policy;
    Fingerprint m_before;
    std::string m_failure;
};

/// What is done with a trial; returns scripts to try again without the rest (none: done). A refusal is no failure as
/// long as nothing changed; the scripts are then tried apart.
using Property = std::function<Scripts(Trial& trial, const Scripts& scripts, Tally& tally)>;

/// Tries `count` cases from seed `first` on (see seeds()), and shrinks what fails. Returns how they went.
Tally hold(unsigned first, unsigned count, Kind kind, OnConflict policy, const Property& property);

} // namespace carry::test

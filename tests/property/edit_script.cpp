#include "edit_script.hpp"

#include "base/text.hpp"
#include "support/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace carry::test {
namespace {

const auto upstream_changes = TreeGenerator::usual(
    {&TreeGenerator::rename_directory, &TreeGenerator::switch_line_endings, &TreeGenerator::replace_by_link,
     &TreeGenerator::file_to_directory, &TreeGenerator::swap_names});
const auto local_changes = TreeGenerator::usual({&TreeGenerator::switch_line_endings, &TreeGenerator::replace_by_link,
                                                 &TreeGenerator::file_to_directory, &TreeGenerator::swap_names});

constexpr std::array<const char*, 9> side_words = {"upstream", "commit", "staged",           "unstaged",     "ignored",
                                                   "bits",     "intent", "assume-unchanged", "skip-worktree"};

void add_rules(TreeGenerator& generator, ScratchFiles& files) {
    constexpr std::array<const char*, 5> attributes = {"* text=auto\n", "* text\n", "new* eol=crlf\n", "* -text\n",
                                                       "* ident\nmoved* text eol=lf\n"};
    constexpr std::array<const char*, 4> ignores = {"new0\n", "new*\n!new1\n", "fresh/\n", "/moved*\n"};
    files.emplace(".gitattributes", attributes[generator.below(attributes.size())]);
    if (generator.one_in(2))
        files.emplace(".gitignore", ignores[generator.below(ignores.size())]);
}

ScratchFiles base_of(const Script& script) {
    TreeGenerator generator(script.seed);
    auto files = generator.one_in(2) ? generator.base() : generator.rich_base();
    if (script.rules)
        add_rules(generator, files);
    if (script.disjoint)
        for (const auto& [path, file] : generator.base())
            files.emplace("up/" + path, file);
    return files;
}

/// What one script makes, paths from its place; with its steps in words.
struct Played {
    Versions versions;
    std::string words;
};

/// Plays the steps one after the other on the states they belong to.
class Player {
public:
    explicit Player(const Script& script) : m_script(script) {
        m_versions.base = base_of(script);
        m_upstream = m_local = m_versions.base;
    }

    Played play() {
        for (const auto& step : m_script.steps)
            take(step);
        leave(Side::skip_worktree);
        return {std::move(m_versions), std::move(m_words)};
    }

private:
    void take(const Step& step) {
        while (m_side < step.side)
            leave(m_side);
        TreeGenerator generator(step.seed);
        if (step.side > Side::unstaged)
            return take_special(step, generator);
        const bool upstream = step.side == Side::upstream;
        auto& files = upstream ? m_upstream : m_local;
        const auto before = files;
        change(files, upstream, generator);
        if (step.side <= Side::commit) {
            auto& commits = upstream ? m_versions.upstream : m_versions.commits;
            if (!step.joined || commits.empty())
                commits.emplace_back();
            commits.back() = files;
        }
        for (const auto& line : split_terminated(test::describe(before, files), '\n'))
            say(step, line);
    }

    /// Of a disjoint script each side sees only what is its own.
    void change(ScratchFiles& files, bool upstream, TreeGenerator& generator) const {
        ScratchFiles mine, others;
        for (const auto& [path, file] : files) {
            const bool is_up = path.starts_with("up/");
            if (!m_script.disjoint)
                mine.emplace(path, file);
            else if (is_up == upstream)
                mine.emplace(is_up ? path.substr(3) : path, file);
            else
                others.emplace(path, file);
        }
        generator.change(mine, 1, upstream ? upstream_changes : local_changes);
        if (!m_script.disjoint && generator.one_in(12)) { // now and then where ignored and untracked files are
            const auto path = generator.any_directory(mine) + (generator.one_in(2) ? "cache.ign" : "new0");
            if (is_free(mine, path))
                mine.emplace(path, "tracked\n");
        }
        for (const auto& [path, file] : mine)
            others.emplace(m_script.disjoint && upstream ? "up/" + path : path, file);
        files = std::move(others);
    }

    void take_special(const Step& step, TreeGenerator& generator) {
        auto path = generator.any_path(m_local);
        if (step.side == Side::ignored) {
            path = generator.any_directory(m_local) + "cache.ign";
            if (!is_free(m_local, path))
                return;
        }
        if (step.side == Side::intent && m_versions.staged.contains(path))
            return;
        if (step.side >= Side::assume_unchanged && !m_versions.staged.contains(path))
            return;
        auto& paths = step.side == Side::ignored            ? m_versions.ignored
                      : step.side == Side::bits             ? m_versions.bits
                      : step.side == Side::intent           ? m_versions.intent
                      : step.side == Side::assume_unchanged ? m_versions.assume_unchanged
                                                            : m_versions.skip_worktree;
        if (std::find(paths.begin(), paths.end(), path) == paths.end())
            paths.push_back(path);
        say(step, "  " + quote_path(path));
    }

    void leave(Side side) {
        if (m_side <= Side::staged && side >= Side::staged)
            m_versions.staged = m_local;
        if (m_side <= Side::unstaged && side >= Side::unstaged)
            m_versions.unstaged = m_local;
        m_side = static_cast<Side>(static_cast<int>(side) + 1);
    }

    void say(const Step& step, std::string_view line) {
        m_words += fmt::format("  {}{}{}\n", side_words.at(static_cast<std::size_t>(step.side)),
                               step.joined ? " (same commit)" : "", line);
    }

    const Script& m_script;
    Versions m_versions;
    std::string m_words;
    ScratchFiles m_upstream, m_local;
    Side m_side = Side::upstream;
};

void put(ScratchFiles& all, const std::string& place, const ScratchFiles& files) {
    for (const auto& [path, file] : files)
        all.emplace(place + path, file);
}

void put(std::vector<std::string>& all, const std::string& place, const std::vector<std::string>& paths) {
    for (const auto& path : paths)
        all.push_back(place + path);
}

Script make_script(unsigned seed, Kind kind, std::string place) {
    TreeGenerator generator(seed ^ 0x5eedU);
    Script script;
    script.seed = seed;
    script.place = std::move(place);
    script.disjoint = kind == Kind::disjoint;
    script.rules = !script.disjoint && !script.place.empty() && generator.one_in(4);
    const auto add = [&](Side side, std::size_t count) {
        for (; count > 0; --count)
            script.steps.push_back(
                {side, static_cast<unsigned>(generator.below(1U << 30U)), side <= Side::commit && generator.one_in(2)});
    };
    add(Side::upstream, 1 + generator.below(5));
    add(Side::commit, generator.one_in(8) ? 1 + generator.below(4) : 0);
    add(Side::staged, generator.below(4));
    add(Side::unstaged, generator.below(5));
    add(Side::ignored, generator.below(2));
    add(Side::bits, generator.below(2));
    add(Side::intent, generator.below(3));
    add(Side::assume_unchanged, generator.one_in(4) ? 1 : 0);
    add(Side::skip_worktree, generator.one_in(4) ? 1 : 0);
    return script;
}

} // namespace

Scripts make_scripts(const std::vector<unsigned>& seeds, Kind kind) {
    Scripts scripts;
    for (const auto seed : seeds)
        scripts.push_back(make_script(seed, kind, scripts.empty() ? "" : fmt::format("{}/", seed)));
    return scripts;
}

Versions play(const Scripts& scripts) {
    std::vector<Versions> each;
    std::size_t upstream_commits = 0;
    for (const auto& script : scripts) {
        each.push_back(Player(script).play().versions);
        upstream_commits = std::max(upstream_commits, each.back().upstream.size());
    }
    Versions all;
    all.upstream.resize(upstream_commits);
    std::vector<const ScratchFiles*> heads;
    for (std::size_t i = 0; i < scripts.size(); ++i) {
        const auto& place = scripts[i].place;
        const auto& one = each[i];
        put(all.base, place, one.base);
        put(all.staged, place, one.staged);
        put(all.unstaged, place, one.unstaged);
        for (std::size_t n = 0; n < upstream_commits; ++n)
            put(all.upstream[n], place,
                one.upstream.empty() ? one.base : one.upstream[std::min(n, one.upstream.size() - 1)]);
        put(all.ignored, place, one.ignored);
        put(all.bits, place, one.bits);
        put(all.intent, place, one.intent);
        put(all.assume_unchanged, place, one.assume_unchanged);
        put(all.skip_worktree, place, one.skip_worktree);
        heads.push_back(&one.base);
    }
    // each script's commits are commits of their own, one script's after the other's
    for (std::size_t i = 0; i < scripts.size(); ++i)
        for (const auto& commit : each[i].commits) {
            heads[i] = &commit;
            auto& files = all.commits.emplace_back();
            for (std::size_t other = 0; other < scripts.size(); ++other)
                put(files, scripts[other].place, *heads[other]);
        }
    return all;
}

std::string describe(const Scripts& scripts) {
    std::string text;
    for (const auto& script : scripts)
        text += fmt::format("seed {} in '{}'{}\n{}", script.seed, script.place, script.rules ? " with rules" : "",
                            Player(script).play().words);
    return text;
}

std::string shrunk(Scripts scripts, const std::function<std::string(const Scripts&)>& failure) {
    auto text = failure(scripts);
    fmt::print(stderr, "fails, and is being shrunk: {} cases from seed {}\n{}", scripts.size(), scripts.front().seed,
               text);
    const auto attempt = [&](Scripts fewer) {
        auto still = fewer.empty() ? std::string() : failure(fewer);
        if (still.empty())
            return false;
        scripts = std::move(fewer);
        text = std::move(still);
        return true;
    };
    for (auto count = scripts.size() / 2; count > 0;) {
        bool smaller = false;
        for (auto end = scripts.size(); end > 0; end = end > count ? end - count : 0) {
            auto fewer = scripts;
            const auto last = std::min(end, fewer.size());
            const auto first = last > count ? last - count : 0;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(first),
                        fewer.begin() + static_cast<std::ptrdiff_t>(last));
            smaller = attempt(std::move(fewer)) || smaller;
        }
        if (!smaller || count > 1)
            count = count / 2;
    }
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (std::size_t at = 0; at < scripts.size(); ++at)
            for (auto step = scripts[at].steps.size(); step-- > 0;) {
                auto fewer = scripts;
                fewer[at].steps.erase(fewer[at].steps.begin() + static_cast<std::ptrdiff_t>(step));
                smaller = attempt(std::move(fewer)) || smaller;
            }
    }
    return describe(scripts) + text;
}

} // namespace carry::test

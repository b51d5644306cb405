#include "merge/culprit.hpp"

#include "merge/line_tracking.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace carry::merge {

namespace {

using git::CommitInfo;
using git::LineChange;
using git::LineRange;
using git::ObjectId;
using git::PathChange;

/// Enough for the busiest files; a changelog of ten thousand commits need not be read to the end.
constexpr std::size_t most_changes = 5000;
/// Larger blobs are generated, and nobody asks who touched their lines.
constexpr std::uint64_t largest_blob = std::uint64_t{16} << 20;
/// Of texts that are kept because the next hunk asks for them again.
constexpr std::size_t cached_bytes = std::size_t{64} << 20;

/// One commit's two versions of the file; a merge has one step for each parent.
struct FileStep {
    ObjectId before;
    ObjectId after;
    std::optional<std::vector<LineChange>> changes; ///< computed on first use
};

struct Visit {
    CommitInfo commit;
    bool merge = false;
    std::vector<FileStep> steps;
};

struct Version {
    ObjectId blob;
    TrackedLines lines;
};

/// A visit that changed the lines, or joined versions of which one had them changed.
struct Passage {
    const Visit* visit = nullptr;
    std::vector<Version> before;
    Version after;
    bool counts = false; ///< the commit itself changed them
};

std::optional<ObjectId> blob_of(const std::optional<git::TreeEntry>& entry) {
    if (!entry || !entry->is_regular())
        return std::nullopt;
    return entry->id;
}

/// Pairs a removal of one path with an addition of the other, within one commit and parent.
class StepBuilder {
public:
    StepBuilder(std::optional<ObjectId> base_blob, bool renamed) : m_last(base_blob), m_renamed(renamed) {}

    std::vector<Visit> visits(const std::vector<PathChange>& rows) {
        for (const auto& row : rows) {
            if (m_visits.empty() || m_visits.back().commit.id != row.commit.id)
                begin(row);
            add(blob_of(row.before), blob_of(row.after));
        }
        finish();
        std::erase_if(m_visits, [](const Visit& visit) { return visit.steps.empty(); });
        return std::move(m_visits);
    }

private:
    void begin(const PathChange& row) {
        finish();
        m_visits.push_back({row.commit, row.merge, {}});
    }

    void add(const std::optional<ObjectId>& before, const std::optional<ObjectId>& after) {
        if (before && after)
            return step(*before, *after);
        if (before)
            m_removed = before;
        if (after)
            m_added = after;
        if (m_renamed && m_removed && m_added) {
            step(*m_removed, *m_added);
            m_removed.reset();
            m_added.reset();
        }
    }

    void step(const ObjectId& before, const ObjectId& after) {
        m_visits.back().steps.push_back({before, after, std::nullopt});
        m_last = after;
    }

    /// An addition alone continues what was last known: a copy first and the removal later, a detour by a third name,
    /// or a file that comes back.
    void finish() {
        if (m_added && m_last && !m_visits.back().merge)
            step(*m_last, *m_added);
        m_removed.reset();
        m_added.reset();
    }

    std::optional<ObjectId> m_last;
    bool m_renamed;
    std::optional<ObjectId> m_removed;
    std::optional<ObjectId> m_added;
    std::vector<Visit> m_visits;
};

} // namespace

struct LineHistory::Impl {
    Impl(git::Repository& the_repository, ObjectId the_base, ObjectId the_tip, std::string the_path,
         std::string the_new_path, std::shared_ptr<SearchBudget> the_budget)
        : repository(the_repository), base(the_base), tip(the_tip), path(std::move(the_path)),
          new_path(std::move(the_new_path)), budget(std::move(the_budget)) {}

    void load();
    std::vector<Passage> passages(const LineRange& range);
    std::shared_ptr<const TextLines> text(const ObjectId& blob);
    const std::vector<LineChange>* changes(FileStep& step);
    const std::vector<LineChange>* since_base_to(const ObjectId& blob);
    std::optional<std::vector<LineChange>> difference(const ObjectId& before, const ObjectId& after);
    bool holds(const Version& version, std::string_view wanted);

    git::Repository& repository;
    ObjectId base, tip;
    std::string path, new_path;
    std::shared_ptr<SearchBudget> budget;

    bool loaded = false;
    std::vector<PathChange> rows;
    std::vector<Visit> visits;
    std::optional<ObjectId> base_blob;
    std::unordered_map<ObjectId, std::shared_ptr<const TextLines>> texts;
    std::deque<ObjectId> order; ///< of texts, oldest first
    std::size_t texts_size = 0; ///< bytes
    std::unordered_map<ObjectId, std::optional<std::vector<LineChange>>> since_base;

private:
    using Places = std::unordered_map<ObjectId, TrackedLines>;
    std::optional<TrackedLines> place(const ObjectId& blob, const LineRange& range, Places& places);
    std::optional<Passage> pass(Visit& visit, const LineRange& range, Places& places);
};

void LineHistory::Impl::load() {
    if (loaded)
        return;
    loaded = true;
    if (!budget->spend(budget->commits, budget->commits_of_range))
        return;
    std::vector<std::string> paths{path};
    if (!new_path.empty() && new_path != path)
        paths.push_back(new_path);
    rows = git::path_history(repository.program(), base, tip, paths);
    if (rows.size() > most_changes)
        rows.resize(most_changes);
    if (!base.is_null())
        base_blob = blob_of(repository.trees().find(repository.trees().tree_of_commit(base), path));
    visits = StepBuilder(base_blob, paths.size() > 1).visits(rows);
}

/// Nothing where the blob is too large, or is not here.
std::shared_ptr<const TextLines> LineHistory::Impl::text(const ObjectId& blob) {
    if (const auto known = texts.find(blob); known != texts.end())
        return known->second;
    std::shared_ptr<const TextLines> result;
    const auto header = repository.objects().header(blob);
    if (header && header->size <= largest_blob)
        if (auto object = repository.objects().read(blob))
            result = std::make_shared<const TextLines>(std::move(object->data));
    texts_size += result ? result->text().size() : 0;
    texts.emplace(blob, result);
    order.push_back(blob);
    while (texts_size > cached_bytes && order.size() > 2) {
        const auto oldest = texts.find(order.front());
        texts_size -= oldest->second ? oldest->second->text().size() : 0;
        texts.erase(oldest);
        order.pop_front();
    }
    return result;
}

std::optional<std::vector<LineChange>> LineHistory::Impl::difference(const ObjectId& before, const ObjectId& after) {
    const auto old_text = text(before);
    const auto new_text = text(after);
    if (!old_text || !new_text || !budget->spend(budget->bytes, old_text->text().size() + new_text->text().size()))
        return std::nullopt;
    return git::diff_lines(old_text->text(), new_text->text());
}

const std::vector<LineChange>* LineHistory::Impl::changes(FileStep& step) {
    if (!step.changes)
        step.changes = difference(step.before, step.after);
    return step.changes ? &*step.changes : nullptr;
}

const std::vector<LineChange>* LineHistory::Impl::since_base_to(const ObjectId& blob) {
    auto known = since_base.find(blob);
    if (known == since_base.end())
        known = since_base.emplace(blob, difference(*base_blob, blob)).first;
    return known->second ? &*known->second : nullptr;
}

/// Where base's lines are in `blob`; a version that no commit of the range led to (a branch that left before base)
/// is compared with base itself.
std::optional<TrackedLines> LineHistory::Impl::place(const ObjectId& blob, const LineRange& range, Places& places) {
    if (const auto known = places.find(blob); known != places.end())
        return known->second;
    if (!base_blob)
        return std::nullopt;
    const auto* changes_to_blob = since_base_to(blob);
    if (changes_to_blob == nullptr)
        return std::nullopt;
    const auto lines = follow({range, false}, *changes_to_blob).lines;
    places.emplace(blob, lines);
    return lines;
}

std::optional<Passage> LineHistory::Impl::pass(Visit& visit, const LineRange& range, Places& places) {
    Passage passage;
    passage.visit = &visit;
    std::vector<std::vector<LineRange>> touched;
    std::optional<std::size_t> untouched;
    for (auto& step : visit.steps) {
        const auto before = place(step.before, range, places);
        const auto* differences = before ? changes(step) : nullptr;
        if (differences == nullptr)
            continue;
        auto followed = follow(*before, *differences);
        passage.before.push_back({step.before, *before});
        // a merge has the lines from the parent that had them already
        if (passage.before.size() == 1 || (followed.touched.empty() && !untouched))
            passage.after = {step.after, followed.lines};
        if (followed.touched.empty())
            untouched = passage.before.size() - 1;
        else
            touched.push_back(std::move(followed.touched));
        if (!visit.merge)
            places.try_emplace(step.after, followed.lines);
    }
    if (passage.before.empty())
        return std::nullopt;
    places.try_emplace(passage.after.blob, passage.after.lines);
    if (touched.empty())
        return std::nullopt;
    passage.counts = !visit.merge || (!untouched && touched.size() > 1 && have_common_lines(touched));
    return passage;
}

std::vector<Passage> LineHistory::Impl::passages(const LineRange& range) {
    load();
    std::vector<Passage> result;
    Places places;
    if (base_blob)
        places.emplace(*base_blob, TrackedLines{range, false});
    if (!budget->spend(budget->visits, visits.size()))
        return result;
    for (auto& visit : visits)
        if (auto passage = pass(visit, range, places))
            result.push_back(std::move(*passage));
    return result;
}

bool LineHistory::Impl::holds(const Version& version, std::string_view wanted) {
    const auto bytes = text(version.blob);
    return bytes != nullptr && lines_hold(*bytes, version.lines, wanted);
}

bool SearchBudget::spend(std::size_t& what, std::size_t amount) {
    exhausted = exhausted || amount > what;
    what -= std::min(what, amount);
    return !exhausted;
}

LineHistory::LineHistory(git::Repository& repository, git::ObjectId base, git::ObjectId tip, std::string path,
                         std::string new_path, std::shared_ptr<SearchBudget> budget)
    : m_impl(std::make_unique<Impl>(repository, base, tip, std::move(path), std::move(new_path),
                                    budget ? std::move(budget) : std::make_shared<SearchBudget>())) {}
LineHistory::~LineHistory() = default;
LineHistory::LineHistory(LineHistory&&) noexcept = default;

std::vector<CommitInfo> LineHistory::touched(LineRange range) {
    std::vector<CommitInfo> commits;
    for (const auto& passage : m_impl->passages(range))
        if (passage.counts)
            commits.push_back(passage.visit->commit);
    std::ranges::reverse(commits);
    return commits;
}

std::optional<CommitInfo> LineHistory::made_equal(LineRange range, std::string_view text) {
    std::optional<CommitInfo> first;
    std::optional<CommitInfo> lasting;
    for (const auto& passage : m_impl->passages(range)) {
        const bool equal_after = m_impl->holds(passage.after, text);
        const bool equal_before =
            std::ranges::any_of(passage.before, [&](const Version& version) { return m_impl->holds(version, text); });
        if (equal_after && !equal_before) {
            if (!first)
                first = passage.visit->commit;
            if (!lasting)
                lasting = passage.visit->commit;
        } else if (equal_before && !equal_after) {
            lasting.reset();
        }
    }
    return lasting ? lasting : first;
}

std::optional<CommitInfo> LineHistory::made_state(const std::optional<git::TreeEntry>& state) {
    m_impl->load();
    std::optional<CommitInfo> first;
    std::optional<CommitInfo> lasting;
    std::optional<CommitInfo> by_merge;
    for (const auto& row : m_impl->rows) {
        if (!state && row.path != m_impl->path)
            continue;
        if (row.merge) {
            if (row.after == state && !by_merge)
                by_merge = row.commit;
        } else if (row.after == state) {
            if (!first)
                first = row.commit;
            if (!lasting)
                lasting = row.commit;
        } else if (row.before == state) {
            lasting.reset();
        }
    }
    return lasting ? lasting : first ? first : by_merge;
}

std::optional<CommitInfo> LineHistory::last_touched() {
    m_impl->load();
    const auto& rows = m_impl->rows;
    if (rows.empty())
        return std::nullopt;
    const auto own = std::find_if(rows.rbegin(), rows.rend(), [](const PathChange& row) { return !row.merge; });
    return own != rows.rend() ? own->commit : rows.back().commit;
}

} // namespace carry::merge

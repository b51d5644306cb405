#include "git/index.hpp"

#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "git/object_store.hpp"

#include <carry/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

namespace carry::git {

namespace {

constexpr int usage_exit_code = 129; ///< git's, for an option it does not know

/// Works on a copy in a directory of its own. The hook that watches the user's index and the monitor that watches the
/// files have nothing to do with it, and it has to be one file. The little that git writes beside it (directories of a
/// sparse index, the empty blob) goes into the repository: whoever reads the index needs it there.
class IndexCopy {
public:
    IndexCopy(const Program& program, const std::filesystem::path& index)
        : m_program(program), m_directory(prepared(program.paths()), "index-"), m_index(m_directory.path() / "index") {
        const auto status = lstat_if_exists(index);
        if (!status) {
            run({"read-tree", "--empty"}, {});
            return;
        }
        std::filesystem::copy_file(index, m_index);
        // git compares files' stamps with the index's own to know which entries it cannot trust
        const std::array<struct timespec, 2> times = {status->st_atim, status->st_mtim};
        if (utimensat(AT_FDCWD, m_index.c_str(), times.data(), 0) != 0)
            throw_errno("set the time of", m_index);
    }

    [[nodiscard]] const std::filesystem::path& directory() const { return m_directory.path(); }
    [[nodiscard]] std::string bytes() const { return read_file(m_index); }

    void run(const std::vector<std::string>& args, RunOptions options) const {
        const ProcessResult result = try_run(args, std::move(options));
        if (!result.ok())
            throw Error(ErrorKind::failed, "git " + args.front() + " failed").because(words_of(result));
    }

    [[nodiscard]] ProcessResult try_run(const std::vector<std::string>& args, RunOptions options) const {
        std::vector<std::string> all = {"-c", "core.splitIndex=false",    "-c", "core.fsmonitor=false",
                                        "-c", "core.hooksPath=/dev/null", "-c", "core.fsyncObjectFiles=true",
                                        "-c", "core.fsync=objects"};
        all.insert(all.end(), args.begin(), args.end());
        options.environment.emplace_back("GIT_INDEX_FILE", m_index.native());
        return m_program.run(all, options);
    }

private:
    static std::filesystem::path prepared(const RepositoryPaths& paths) {
        prepare_object_directory(paths);
        return paths.carry_dir();
    }

    const Program& m_program;
    TemporaryDirectory m_directory;
    std::filesystem::path m_index;
};

/// Lines of `git update-index -z --index-info`.
class IndexInfo {
public:
    explicit IndexInfo(ObjectFormat format) : m_zero(zero_hex(format)) {}
    void remove(std::string_view path) { add("0", m_zero, '0', path); }
    void set(std::string_view path, const TreeEntry& entry, char stage) {
        add(fmt::format("{:06o}", entry.mode), entry.id.hex(), stage, path);
    }
    [[nodiscard]] std::string take() { return std::move(m_text); }

private:
    void add(std::string_view mode, std::string_view id, char stage, std::string_view path) {
        m_text.append(mode).append(" ").append(id).append(" ");
        m_text += stage;
        m_text += '\t';
        m_text.append(path);
        m_text += '\0';
    }
    std::string m_zero;
    std::string m_text;
};

/// Any id that the edits name tells how long ids are here; git is asked where there is none.
ObjectFormat format_of(const Program& program, const IndexEdits& edits) {
    std::vector<const TreeEntry*> named;
    const auto add = [&](const std::optional<TreeEntry>& entry) {
        if (entry)
            named.push_back(&*entry);
    };
    for (const auto& [path, entry] : edits.entries)
        add(entry);
    for (const auto& [path, stages] : edits.unmerged) {
        add(stages.base);
        add(stages.ours);
        add(stages.theirs);
    }
    constexpr std::size_t longer_size = 32;
    const bool is_long = named.empty() ? program.line({"rev-parse", "--show-object-format"}) == "sha256"
                                       : named.front()->id.raw().size() == longer_size;
    return is_long ? ObjectFormat::sha256 : ObjectFormat::sha1;
}

/// Removals first, so that a file may take a directory's place and the other way round.
std::string index_info(const Program& program, const IndexEdits& edits) {
    if (edits.entries.empty() && edits.unmerged.empty() && edits.intent_to_add.empty())
        return {};
    IndexInfo info(format_of(program, edits));
    for (const auto& [path, entry] : edits.entries)
        if (!entry)
            info.remove(path);
    for (const auto& [path, stages] : edits.unmerged)
        info.remove(path);
    for (const auto& path : edits.intent_to_add)
        info.remove(path);
    for (const auto& [path, entry] : edits.entries)
        if (entry)
            info.set(path, *entry, '0');
    for (const auto& [path, stages] : edits.unmerged) {
        if (stages.base)
            info.set(path, *stages.base, '1');
        if (stages.ours)
            info.set(path, *stages.ours, '2');
        if (stages.theirs)
            info.set(path, *stages.theirs, '3');
    }
    return info.take();
}

/// Something empty at `path` below `tree`, of the kind that the working tree has there: the new entry takes its mode.
void make_stand_in(DirectoryTree& tree, const std::filesystem::path& worktree, const std::string& path) {
    std::vector<std::string> made;
    const int directory = tree.open_or_make(parent_of(path), made);
    const std::string name(name_of(path));
    const auto status = lstat_if_exists(worktree / path);
    if (status && S_ISLNK(status->st_mode)) {
        if (symlinkat("x", directory, name.c_str()) != 0)
            throw_errno("make", tree.root() / path);
        return;
    }
    const mode_t mode = status && (status->st_mode & S_IXUSR) != 0 ? 0700 : 0600;
    if (!UniqueFd(openat(directory, name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, mode)))
        throw_errno("make", tree.root() / path);
}

/// `git add -N` wants files. They stand in a working tree of their own, so that it works before the files are there,
/// and whatever is in their place.
void add_intents(const Program& program, const IndexCopy& copy, const std::vector<std::string>& paths) {
    const auto root = copy.directory() / "tree";
    make_directories(root);
    DirectoryTree tree(root);
    for (const auto& path : paths)
        make_stand_in(tree, program.paths().worktree, path);
    RunOptions options;
    options.directory = root;
    options.environment = {{"GIT_DIR", program.paths().git_dir.native()}, {"GIT_WORK_TREE", root.native()}};
    options.input = nul_terminated(paths);
    std::vector<std::string> args = {"-c", "advice.updateSparsePath=false", "--literal-pathspecs", "add", "-N",
                                     "-f", "--pathspec-from-file=-",        "--pathspec-file-nul"};
    // before git 2.34 a sparse checkout was no obstacle and the option unknown
    auto sparse_args = args;
    sparse_args.emplace_back("--sparse");
    ProcessResult result = copy.try_run(sparse_args, options);
    if (result.exit_code == usage_exit_code)
        result = copy.try_run(args, options);
    if (!result.ok())
        throw Error(ErrorKind::failed, "git add -N failed").because(words_of(result));
}

/// A flag for those of `paths` that still have an entry to carry it and are, or are not, to be added.
void set_flag(const IndexCopy& copy, const IndexEdits& edits, const std::vector<std::string>& paths, const char* option,
              bool intents) {
    RunOptions options;
    for (const auto& path : paths) {
        const auto edit = edits.entries.find(path);
        const bool removed = (edit != edits.entries.end() && !edit->second) || edits.unmerged.contains(path);
        const bool intent = std::ranges::find(edits.intent_to_add, path) != edits.intent_to_add.end();
        if (intent == intents && (intent || !removed))
            options.input += path + '\0';
    }
    if (!options.input.empty())
        copy.run({"update-index", option, "-z", "--stdin"}, options);
}

} // namespace

IndexFlags read_index_flags(const Program& program) {
    IndexFlags flags;
    const std::string text = program.output({"ls-files", "-v", "-z"});
    for (const auto record : split_terminated(text, '\0')) {
        constexpr std::size_t prefix_size = 2; // a letter and a space
        if (record.size() <= prefix_size)
            continue;
        const char tag = record.front();
        if (tag == 'S' || tag == 's')
            flags.skip_worktree.emplace_back(record.substr(prefix_size));
        if (tag >= 'a' && tag <= 'z')
            flags.assume_unchanged.emplace_back(record.substr(prefix_size));
    }
    return flags;
}

std::string edit_index(const Program& program, const std::filesystem::path& index, const IndexEdits& edits) {
    const IndexCopy copy(program, index);
    // Always written from the real working tree first: that is when git marks the entries whose stamps cannot be
    // trusted, and when a split index becomes whole.
    RunOptions options;
    options.input = index_info(program, edits);
    if (options.input.empty())
        copy.run({"update-index", "--no-split-index"}, {});
    else
        copy.run({"update-index", "--no-split-index", "-z", "--index-info"}, options);
    // Before the intents: where setting a flag makes git fold directories of a sparse index, it must not meet them
    // (git 2.39 miscounts and writes a broken index).
    set_flag(copy, edits, edits.assume_unchanged, "--assume-unchanged", false);
    set_flag(copy, edits, edits.skip_worktree, "--skip-worktree", false);
    if (!edits.intent_to_add.empty()) {
        add_intents(program, copy, edits.intent_to_add);
        set_flag(copy, edits, edits.assume_unchanged, "--assume-unchanged", true);
        set_flag(copy, edits, edits.skip_worktree, "--skip-worktree", true);
    }
    return copy.bytes();
}

} // namespace carry::git

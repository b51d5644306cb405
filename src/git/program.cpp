#include "git/program.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

#include <carry/error.hpp>

#include <array>
#include <charconv>
#include <system_error>

namespace carry::git {

namespace {

/// What points git at another repository, or changes how it reads this one, when git-carry itself is started by
/// git (a hook, an alias). The user's configuration by environment (GIT_CONFIG_*, GIT_SSH*) is left alone.
constexpr std::array removed_variables = {
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_ATTR_SOURCE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
};

/// True where git, started in the working tree, finds this git directory by itself.
bool discovery_finds(const RepositoryPaths& paths) {
    std::error_code error;
    const auto dot_git = paths.worktree / ".git";
    if (std::filesystem::is_directory(dot_git, error))
        return std::filesystem::equivalent(dot_git, paths.git_dir, error);
    const auto text = read_file_if_exists(dot_git);
    constexpr std::string_view prefix = "gitdir: ";
    if (!text || text->compare(0, prefix.size(), prefix) != 0)
        return false;
    std::string_view target = std::string_view(*text).substr(prefix.size());
    while (target.ends_with('\n') || target.ends_with('\r'))
        target.remove_suffix(1);
    return std::filesystem::equivalent(paths.worktree / target, paths.git_dir, error);
}

/// "log" of {"-c", "log.follow=false", "--literal-pathspecs", "log", ...}.
std::string subcommand_of(const std::vector<std::string>& args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (args[i] == "-c")
            ++i;
        else if (!args[i].starts_with('-'))
            return args[i];
    }
    return {};
}

} // namespace

std::string words_of(const ProcessResult& result) {
    std::string_view text = trim(result.error_output);
    for (const std::string_view prefix : {"fatal: ", "error: "})
        if (text.starts_with(prefix))
            text.remove_prefix(prefix.size());
    if (text.empty())
        return "exit code " + std::to_string(result.exit_code);
    return std::string(text);
}

std::string nul_terminated(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) {
        text += name;
        text += '\0';
    }
    return text;
}

Program::Program(RepositoryPaths paths) : m_paths(std::move(paths)), m_discovered(discovery_finds(m_paths)) {}

ProcessSpec Program::spec(const std::vector<std::string>& args, const RunOptions& options) const {
    ProcessSpec spec;
    spec.argv.reserve(args.size() + 1);
    spec.argv.emplace_back("git");
    spec.argv.insert(spec.argv.end(), args.begin(), args.end());
    for (const char* name : removed_variables)
        spec.environment.emplace_back(name, std::nullopt);
    spec.environment.emplace_back("LC_ALL", "C");
    spec.environment.emplace_back("GIT_TERMINAL_PROMPT", "0");
    spec.environment.emplace_back("GIT_OPTIONAL_LOCKS", "0");
    spec.environment.emplace_back("GIT_PAGER", "cat");
    spec.environment.emplace_back("GIT_EDITOR", ":");
    if (!m_discovered) {
        spec.environment.emplace_back("GIT_DIR", m_paths.git_dir.native());
        spec.environment.emplace_back("GIT_WORK_TREE", m_paths.worktree.native());
    }
    if (options.private_objects)
        spec.environment.emplace_back("GIT_OBJECT_DIRECTORY", m_paths.carry_objects().native());
    spec.environment.insert(spec.environment.end(), options.environment.begin(), options.environment.end());
    spec.directory = options.directory.empty() ? m_paths.worktree : options.directory;
    spec.input = options.input;
    spec.on_error_output = options.on_error_output;
    spec.on_output = options.on_output;
    spec.stall_timeout = options.stall_timeout;
    spec.time_limit = options.time_limit;
    return spec;
}

ProcessResult Program::run(const std::vector<std::string>& args, const RunOptions& options) const {
    return run_process(spec(args, options));
}

ProcessResult Program::run_hook(const std::filesystem::path& file, const std::vector<std::string>& args,
                                const RunOptions& options) const {
    ProcessSpec hook = spec(args, options);
    hook.argv.front() = file.native();
    hook.merge_error_output = true;
    // What keeps our own git quiet is not the hook's: it may take locks, and speaks the user's language.
    std::erase_if(hook.environment, [](const auto& variable) {
        return variable.first == "LC_ALL" || variable.first == "GIT_OPTIONAL_LOCKS" || variable.first == "GIT_PAGER" ||
               variable.first == "GIT_EDITOR";
    });
    return run_process(hook);
}

std::string Program::output(const std::vector<std::string>& args, const RunOptions& options) const {
    ProcessResult result = run(args, options);
    if (!result.ok())
        throw Error(ErrorKind::failed, "git " + subcommand_of(args) + " failed").because(words_of(result));
    return std::move(result.output);
}

std::string Program::line(const std::vector<std::string>& args, const RunOptions& options) const {
    std::string text = output(args, options);
    if (text.ends_with('\n'))
        text.pop_back();
    return text;
}

Child Program::start(const std::vector<std::string>& args, const RunOptions& options) const {
    return Child(spec(args, options));
}

std::vector<int> require_git_version() {
    constexpr int needed_minor = 30;
    ProcessSpec spec;
    spec.argv = {"git", "version"};
    spec.environment = {{"LC_ALL", "C"}};
    const ProcessResult result = run_process(spec);
    std::string_view text = trim(result.output);
    constexpr std::string_view prefix = "git version ";
    std::vector<int> version;
    if (result.ok() && text.starts_with(prefix)) {
        text.remove_prefix(prefix.size());
        for (const std::string_view part : split(text.substr(0, text.find(' ')), '.')) {
            int number = 0;
            if (std::from_chars(part.data(), part.data() + part.size(), number).ec != std::errc{})
                break;
            version.push_back(number);
        }
    }
    version.resize(3, 0);
    if (version < std::vector<int>{2, needed_minor, 0})
        throw Error(ErrorKind::failed, "git 2.30 or newer is needed").because(std::string(trim(result.output)));
    return version;
}

} // namespace carry::git

#include "snapshot/surroundings.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

namespace carry::snapshot {

namespace {

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    for (const auto line : split_terminated(text, '\n'))
        lines.emplace_back(line);
    return lines;
}

/// "https://user:secret@host/x" without the secret: the record may be uploaded by a CI job.
std::string without_password(const std::string& url) {
    const auto scheme = url.find("://");
    if (scheme == std::string::npos)
        return url;
    const auto start = scheme + 3;
    const auto end = std::min(url.find('/', start), url.size());
    const auto at = url.rfind('@', end);
    if (at == std::string::npos || at < start)
        return url;
    const auto colon = url.find(':', start);
    if (colon == std::string::npos || colon > at)
        return url;
    return url.substr(0, colon) + url.substr(at);
}

} // namespace

void read_surroundings(git::Repository& repository, Snapshot& snapshot) {
    const auto& program = repository.program();
    snapshot.upstream = repository.upstream();
    for (const auto& name : repository.remotes()) {
        if (const auto url = repository.config().get("remote." + name + ".url"))
            snapshot.remotes.emplace_back(name, without_password(*url));
    }
    snapshot.stashes =
        lines_of(program.output({"-c", "log.showSignature=false", "stash", "list", "--no-color", "--format=%H"}));
    if (!snapshot.head.commit.is_null())
        snapshot.log = lines_of(program.output({"-c", "log.showSignature=false", "log", "--oneline", "--no-color",
                                                "--no-decorate", "-n", "20", snapshot.head.commit.hex(), "--"}));
    // Fails where .gitmodules does not name every gitlink; what it has said until then is worth keeping.
    // The command is a slow script; where no submodule was ever checked out it has nothing to tell.
    if (repository.capabilities().submodules && lstat_if_exists(repository.paths().common_dir / "modules"))
        snapshot.submodules = lines_of(program.run({"submodule", "status"}).output);
}

} // namespace carry::snapshot

/// An upstream with a submodule, and a checkout of it with the submodule checked out.
#pragma once

#include "support/fingerprint.hpp"
#include "support/lines.hpp"
#include "support/temp_repo.hpp"

#include <string>
#include <vector>

namespace carry::test {

/// Of the checkout and of each submodule in it: an undo brings back all of them.
inline std::vector<Fingerprint> fingerprints(const TempRepo& work, const std::vector<std::string>& submodules) {
    std::vector<Fingerprint> all{fingerprint(work.path())};
    for (const auto& path : submodules)
        all.push_back(fingerprint(work.file(path)));
    return all;
}

/// Library 20 lines, app 12 lines; the submodule is libs/sub.
struct SubmoduleLab {
    TempRepo library, upstream, work;
    static constexpr const char* sub = "libs/sub";

    static SubmoduleLab make() {
        TempRepo library;
        library.write("lib.txt", numbered("lib", 20));
        library.commit("Library");
        TempRepo upstream;
        upstream.write("app.txt", numbered("line", 12));
        upstream.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.url(), sub);
        upstream.commit("Begin");
        TempRepo work = TempRepo::clone_of(upstream);
        check_out(work);
        return {std::move(library), std::move(upstream), std::move(work)};
    }
    static void check_out(const TempRepo& work) {
        work.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive");
    }

    /// Upstream's next version: line 18 of the library, and line 11 of the app.
    [[nodiscard]] std::string bump(std::string_view line = "lib 18 v2", std::size_t number = 18) const {
        library.write("lib.txt", set_line(library.read("lib.txt"), number, line));
        const auto id = library.commit("Library goes on");
        record(id);
        return id;
    }
    void record(const std::string& id) const {
        upstream.git("update-index", "--cacheinfo", "160000," + id + "," + sub);
        upstream.write("app.txt", set_line(upstream.read("app.txt"), 11, "line 11 upstream"));
        upstream.stage("app.txt");
        upstream.commit_staged("Bump the library");
    }
    template <typename... Args>
    std::string in_sub(const Args&... args) const {
        return work.git_line("-C", sub, args...);
    }
    void edit(std::size_t number, std::string_view line) const {
        work.write("libs/sub/lib.txt", set_line(work.read("libs/sub/lib.txt"), number, line));
    }
    [[nodiscard]] std::string recorded() const { return work.git_line("rev-parse", "HEAD:libs/sub"); }
    [[nodiscard]] std::vector<Fingerprint> state() const { return fingerprints(work, {sub}); }
};

} // namespace carry::test

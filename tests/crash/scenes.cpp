#include "scene.hpp"
#include "support/lines.hpp"
#include "support/submodule_lab.hpp"

#include <stdexcept>

namespace carry::crash {
namespace {

using test::numbered;
using test::set_line;
using test::TempRepo;
namespace fs = std::filesystem;

void make_base(const TempRepo& repo) {
    repo.write(".gitignore", "*.log\n");
    for (const auto* name : {"committed.txt", "staged.txt", "unstaged.txt", "both.txt", "old-name.txt", "edited.txt"})
        repo.write(name, numbered(name, 30));
    repo.write("private.txt", numbered("secret", 20));
    repo.write("deleted.txt", "goes\n");
    repo.write("gone/deep/one", "1\n");
    repo.write("script.sh", "#!/bin/sh\n");
    repo.write("file-to-link", "a file\n");
    repo.symlink("edited.txt", "link-to-file");
    repo.symlink("edited.txt", "link-to-link");
    repo.write("file-to-directory", "a file\n");
    repo.write("directory-to-file/a", "a\n");
    repo.write("directory-to-file/b/c", "c\n");
    repo.write("odd/tab\tname", "old\n");
    repo.write("odd/\xff\xfe", "old\n");
}

void move_on(const TempRepo& repo) {
    repo.write("edited.txt", "new and longer\n");
    for (const auto* name : {"committed.txt", "staged.txt", "unstaged.txt", "both.txt", "private.txt"})
        repo.write(name, set_line(repo.read(name), 3, "upstream"));
    repo.write("new-name.txt", set_line(repo.read("old-name.txt"), 3, "upstream"));
    repo.remove("old-name.txt");
    repo.remove("deleted.txt");
    repo.remove("gone");
    repo.make_executable("script.sh");
    repo.remove("file-to-link");
    repo.symlink("edited.txt", "file-to-link");
    repo.write("link-to-file", "a file\n");
    repo.symlink("nowhere", "link-to-link");
    repo.remove("file-to-directory");
    repo.write("file-to-directory/x", "x\n");
    repo.write("file-to-directory/y/z", "z\n");
    repo.remove("directory-to-file");
    repo.write("directory-to-file", "a file\n");
    repo.write("odd/tab\tname", "new\n");
    repo.write("odd/\xff\xfe", "new\n");
    repo.write("arrives/very/deep/file", std::string("binary\0bytes", 12));
    repo.write("arrives/too", "what is here untracked\n");
    repo.write("arrives.log", "what is here ignored\n");
    repo.git("add", "-f", "arrives.log");
}

/// A local commit, staged, unstaged, untracked and ignored files, two of them in upstream's way.
void carry_changes(const TempRepo& work) {
    work.write("committed.txt", set_line(work.read("committed.txt"), 20, "mine"));
    work.write("added-here.txt", "mine\n");
    work.commit("Mine");
    work.write("staged.txt", set_line(work.read("staged.txt"), 20, "mine"));
    work.stage("staged.txt");
    work.write("both.txt", set_line(work.read("both.txt"), 15, "mine"));
    work.stage("both.txt");
    work.write("both.txt", set_line(work.read("both.txt"), 25, "mine too"));
    for (const auto* name : {"unstaged.txt", "old-name.txt", "private.txt"})
        work.write(name, set_line(work.read(name), 18, "mine"));
    fs::permissions(work.file("private.txt"), fs::perms::owner_read | fs::perms::owner_write);
    work.write("untracked.txt", "mine\n");
    work.write("mine.log", "ignored\n");
    work.write("arrives/too", "what is here untracked\n");
    work.write("arrives.log", "what is here ignored\n");
}

struct Repositories {
    TempRepo upstream, work;
};

Repositories everything() {
    TempRepo upstream;
    make_base(upstream);
    upstream.commit("Begin");
    TempRepo work = TempRepo::clone_of(upstream);
    carry_changes(work);
    move_on(upstream);
    upstream.commit("Move on");
    work.git("fetch", "-q"); // what git itself does is not what is tested
    work.git("status");
    return {std::move(upstream), std::move(work)};
}

Repositories with_conflicts() {
    TempRepo upstream;
    for (const auto* name : {"commit.txt", "edit.txt", "clean.txt"})
        upstream.write(name, numbered(name, 30));
    upstream.commit("Begin");
    TempRepo work = TempRepo::clone_of(upstream);
    work.write("clean.txt", set_line(work.read("clean.txt"), 20, "mine"));
    work.commit("Clean");
    work.write("edit.txt", set_line(work.read("edit.txt"), 3, "mine"));
    work.write("commit.txt", set_line(work.read("commit.txt"), 20, "mine"));
    for (const auto* name : {"commit.txt", "edit.txt", "clean.txt"})
        upstream.write(name, set_line(upstream.read(name), 3, "upstream"));
    upstream.commit("Move on");
    work.git("fetch", "-q");
    work.git("status");
    return {std::move(upstream), std::move(work)};
}

void run_or_throw(const TempRepo& work, const std::string& command, int exit_code) {
    if (const int code = run_in_child(work.path(), command); code != exit_code)
        throw std::runtime_error(command + " exits with " + std::to_string(code));
}

} // namespace

Scene upgrade_scene() {
    auto [upstream, work] = everything();
    return {"upgrade",
            std::move(upstream),
            std::move(work),
            "upgrade",
            0,
            {{"status", Expected::either},
             {"upgrade", Expected::new_state},
             {"undo", Expected::old_state},
             {"continue", Expected::either, 6}}};
}

Scene undo_scene() {
    auto [upstream, work] = everything();
    run_or_throw(work, "upgrade", 0);
    return {"undo",
            std::move(upstream),
            std::move(work),
            "undo",
            0,
            {{"status", Expected::either},
             {"upgrade", Expected::old_state},
             {"undo", Expected::either},
             {"continue", Expected::either, 6}}};
}

Scene verify_scene() {
    auto [upstream, work] = everything();
    return {"verify",
            std::move(upstream),
            std::move(work),
            "upgrade --verify",
            0,
            {{"status", Expected::either},
             {"upgrade --verify", Expected::new_state},
             {"undo", Expected::old_state},
             {"continue", Expected::either, 6}}};
}

Scene park_scene() {
    auto [upstream, work] = with_conflicts();
    return {"park",
            std::move(upstream),
            std::move(work),
            "upgrade --park",
            4,
            {{"status", Expected::either, -1},
             {"upgrade --park", Expected::new_state, 4},
             {"undo", Expected::old_state},
             {"continue", Expected::either, 6}}};
}

Scene continue_scene() {
    auto [upstream, work] = with_conflicts();
    run_or_throw(work, "upgrade --mark", 4);
    work.write("edit.txt", set_line(numbered("edit.txt", 30), 3, "mine and upstream's"));
    work.stage("edit.txt");
    return {
        "continue",
        std::move(upstream),
        std::move(work),
        "continue",
        0,
        {{"status", Expected::either, -1}, {"continue", Expected::new_state, -1}, {"upgrade", Expected::either, -1}}};
}

Scene submodule_scene() {
    auto lab = test::SubmoduleLab::make();
    lab.edit(3, "mine");
    lab.work.write("app.txt", set_line(lab.work.read("app.txt"), 3, "mine"));
    static_cast<void>(lab.bump());
    lab.work.git("-c", "protocol.file.allow=always", "fetch", "-q");
    lab.work.git("-C", test::SubmoduleLab::sub, "fetch", "-q");
    return {"submodule",
            std::move(lab.upstream),
            std::move(lab.work),
            "upgrade",
            0,
            {{"status", Expected::either},
             {"upgrade", Expected::new_state},
             {"undo", Expected::old_state},
             {"continue", Expected::either, 6}},
            {test::SubmoduleLab::sub}};
}

} // namespace carry::crash

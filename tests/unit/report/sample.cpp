#include "sample.hpp"

namespace carry::test {
namespace {

void add_patches(Report& report) {
    report.patches.push_back(patch(Layer::unstaged, Fate::kept,
                                   "python/sglang/srt/distributed/device_communicators/all_reduce_utils.py",
                                   {hunk(Fate::kept), hunk(Fate::kept, "14 lines down", 40, 44)}));
    report.patches.back().patch_file = "patches/0001-all_reduce_utils.patch";
    report.patches.push_back(patch(Layer::unstaged, Fate::merged, "python/sglang/srt/layers/quantization/fp4_utils.py",
                                   {hunk(Fate::merged), hunk(Fate::merged), hunk(Fate::merged)}));
    report.patches.push_back(
        patch(Layer::staged, Fate::moved, "python/sglang/srt/server_args.py", {hunk(Fate::moved)}));
    report.patches.back().new_path = "python/sglang/srt/args/server.py";
    report.patches.push_back(patch(Layer::commit, Fate::absorbed, "csrc/scale.cu"));
    report.patches.back().commit = CommitRef{std::string(40, '1'), "Fix the NVFP4 scale layout", "W Orker", 1772000000};
    report.patches.back().by =
        CommitRef{"9ab12cd" + std::string(33, '0'), "Repair scale layout (#20111)", "U Pstream", 1772500000};
    report.patches.push_back(
        patch(Layer::unstaged, Fate::conflict, "benchmark/launch.sh",
              {hunk(Fate::kept), hunk(Fate::conflict, "upstream changed the same lines", 38, 47), hunk(Fate::kept)}));
    report.patches.push_back(patch(Layer::untracked, Fate::kept, "tune/sm120.json"));
    report.patches.back().change = "added";
}

ConflictReport launch_conflict() {
    ConflictReport conflict;
    conflict.layer = Layer::unstaged;
    conflict.kind = ConflictKind::content;
    conflict.path = "benchmark/launch.sh";
    conflict.base = LineSpan{37, 45};
    conflict.yours = LineSpan{38, 47};
    conflict.upstream = LineSpan{40, 52};
    conflict.message = "both sides changed the same lines of 'benchmark/launch.sh'";
    conflict.culprits = {
        {"77aa01b" + std::string(33, '0'), "Rework launch flags (#20102)", "U Pstream", sample_time - 2 * day},
        {"0123456" + std::string(33, '0'), "Quote the flags", "A Nother", sample_time - 9 * day}};
    return conflict;
}

} // namespace

Report report_with_proposals() {
    Report report = sample_report();
    report.conflicts.at(0).proposals = {{"adjacent-lines", 0.95, {"run \x1b[31m", "\tflags"}},
                                        {"words", 0.5, {"run \x1b[31m", "\tflags"}},
                                        {"both-items", 0.125, {"one"}}};
    return report;
}

HunkReport hunk(Fate fate, std::string reason, std::size_t first, std::size_t last) {
    HunkReport result;
    result.fate = fate;
    result.old_lines = {first, last};
    if (fate != Fate::conflict)
        result.new_lines = LineSpan{first + 14, last + 14};
    result.reason = std::move(reason);
    return result;
}

PatchReport patch(Layer layer, Fate fate, std::string path, std::vector<HunkReport> hunks) {
    PatchReport result;
    result.layer = layer;
    result.fate = fate;
    result.path = std::move(path);
    result.change = "modified";
    result.hunks = std::move(hunks);
    return result;
}

Report sample_report() {
    Report report;
    report.command = "upgrade";
    report.outcome = Outcome::stopped;
    report.exit_code = 3;
    report.run = "20260308T021502Z-k3f9";
    report.repository = "/srv/sglang-main";
    report.branch = "main";
    report.upstream = "origin/main";
    report.old_head = std::string(40, '2');
    report.new_head = report.old_head;
    report.base = "f8d4eb702" + std::string(31, '0');
    report.old_upstream = report.base;
    report.new_upstream = "3c91e02aa" + std::string(31, '0');
    report.upstream_commits = 47;
    report.upstream_files = 212;
    report.commits = 1;
    report.staged = 1;
    report.unstaged = 3;
    report.untracked = 1;
    add_patches(report);
    report.conflicts.push_back(launch_conflict());
    report.warnings.push_back({"removed-identifier", "torch_symm_mem.py",
                               "torch_symm_mem.py:88 uses 'get_world_group', which upstream removed in 77aa01b"});
    report.notes.emplace_back("upstream was rewritten: fork point f8d4eb7");
    report.verify.push_back({"make check", 0, 1.25, "all good\n"});
    report.next = {"git carry upgrade --on-conflict=park   everything else lands, this patch is set aside",
                   "git carry upgrade --on-conflict=mark   markers in the file, then git carry continue"};
    report.time = sample_time;
    return report;
}

} // namespace carry::test

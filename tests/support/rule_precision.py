#!/usr/bin/env python3
"""How often each rule is right where three-way merging conflicts (docs/merging.md).

    REPLAY_MIRROR=DIR rule_precision.py REPLAY GIT_CARRY [--wrong RULE] [--split dev]

REPLAY is the folder of the replay corpus (common.py, corpus-*.jsonl). Each file that merge-ort leaves in conflict is
merged by `GIT_CARRY merge-file --rules=none`, whose report has what every rule proposes. A proposal is right where the
person's merge has it with the three lines before and after it, blanks aside. A set of rules settles a file where each
of its conflicts has a proposal; that is right where the whole file is the person's. --wrong shows a rule's wrong ones.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

CONTEXT = 3


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("replay")
    parser.add_argument("git_carry")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--wrong", help="show the wrong proposals of this rule")
    return parser.parse_args()


def bare(line):
    return "".join(line.split())


def lines_of(data):
    return data.decode("utf-8", "replace").split("\n")


def conflicted_files(common, split):
    """(name, base, upstream, local, the person's merge) of each file that merge-ort leaves in conflict."""
    for case in common.load(split=split):
        repo = common.repo(case["repo"])
        upstream, local = ("p1", "p2") if case["upstream"] == "p1" else ("p2", "p1")
        conflicts = set(case["ort_conflicts"])
        for file in case["files"]:
            if file["trivial"] or file["kind"] == "delete" or file["m"] is None:
                continue
            if not {file["path"], file["p1_path"], file["p2_path"], file["m_path"]} & conflicts:
                continue
            merged = repo.blob(file["m"])
            if not any(line.startswith(b"<<<<<<< ") for line in merged.split(b"\n")):
                yield file["path"], repo.blob(file["base"]), repo.blob(file[upstream]), repo.blob(file[local]), merged


def merge(program, folder, versions, path):
    """The chunks of the marked file, "ok" and "conflict" in turn, and the report's conflicts."""
    for name, data in zip(("base", "ours", "theirs"), versions):
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)
    config = os.path.join(folder, "config.yaml")
    with open(config, "w") as out:
        out.write("markers: diff3\n")
    run = subprocess.run([program, "merge-file", "--rules=none", "--json", "--config", config, "--path", path, "base",
                          "ours", "theirs", "out"], cwd=folder, capture_output=True)
    if run.returncode > 1:
        sys.exit(run.stderr.decode())
    with open(os.path.join(folder, "out"), "rb") as result:
        marked = lines_of(result.read())
    chunks, inside = [("ok", [])], False
    for line in marked:
        if not inside and line.startswith("<<<<<<< "):
            inside = True
            chunks.append(("conflict", []))
        elif inside and line.startswith(">>>>>>> "):
            inside = False
            chunks.append(("ok", []))
        elif not inside:
            chunks[-1][1].append(line)
    return chunks, json.loads(run.stdout)["conflicts"]


def contains(lines, part):
    return any(lines[i:i + len(part)] == part for i in range(len(lines) - len(part) + 1))


class File:
    def __init__(self, name, chunks, conflicts, merged):
        self.name, self.chunks = name, chunks
        self.merged = [bare(line) for line in lines_of(merged)]
        self.proposals = [{p["rule"]: p["lines"] for p in c["proposals"]} for c in conflicts]
        marked = [i for i, chunk in enumerate(chunks) if chunk[0] == "conflict"]
        self.usable = len(marked) == len(self.proposals)
        self.places = marked

    def right(self, number, lines):
        place = self.places[number]
        around = self.chunks[place - 1][1][-CONTEXT:] + lines + self.chunks[place + 1][1][:CONTEXT]
        return contains(self.merged, [bare(line) for line in around])

    def settled(self, rules):
        """The whole file by these rules, or None."""
        lines, number = [], 0
        for kind, chunk in self.chunks:
            if kind == "ok":
                lines += chunk
                continue
            fitting = [self.proposals[number][rule] for rule in rules if rule in self.proposals[number]]
            if not fitting:
                return None
            lines += fitting[0]
            number += 1
        return [bare(line) for line in lines]


def ratio(right, fired):
    return "%4d of %4d  %s" % (right, fired, "%.2f" % (right / fired) if fired else "-")


def main():
    options = arguments()
    sys.path.insert(0, options.replay)
    sys.argv = [sys.argv[0]]
    import common
    files = []
    with tempfile.TemporaryDirectory() as folder:
        for name, base, upstream, local, merged in conflicted_files(common, options.split):
            chunks, conflicts = merge(os.path.abspath(options.git_carry), folder, (base, upstream, local), name)
            file = File(name, chunks, conflicts, merged)
            if file.usable and conflicts:
                files.append(file)
    rules = ["absorbed", "includes", "adjacent-lines", "indentation", "common-ends", "absorbed-words", "whitespace",
             "words", "both-items"]
    print("%d files, %d conflicts" % (len(files), sum(len(f.proposals) for f in files)))
    print("%-34s %-24s %s" % ("rules", "conflicts", "files"))
    for chosen in [[rule] for rule in rules] + [rules[:4], rules]:
        fired = right = 0
        for file in files:
            for number, proposals in enumerate(file.proposals):
                lines = next((proposals[rule] for rule in chosen if rule in proposals), None)
                if lines is None:
                    continue
                fired += 1
                good = file.right(number, lines)
                right += good
                if not good and chosen == [options.wrong]:
                    print("wrong", file.name, number, *("  | " + line for line in lines[:20]), sep="\n")
        whole = [file for file in files if file.settled(chosen) is not None]
        same = sum(file.settled(chosen) == file.merged for file in whole)
        name = chosen[0] if len(chosen) == 1 else "all" if chosen == rules else "default"
        print("%-34s %-24s %s" % (name, ratio(right, fired), ratio(same, len(whole))))


if __name__ == "__main__":
    main()

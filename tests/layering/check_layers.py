#!/usr/bin/env python3
"""Holds the sources to the floors of the house (docs/architecture.md).

    check_layers.py PROJECT

- An include only points down; rooms of one floor do not know each other.
- A public header includes public headers and the standard library only, and nobody below its room uses it.
- git2.h stays in src/git, CLI11 and spdlog in src/cli, yaml-cpp in src/config.
- Nothing below src/cli prints, exits or reads the environment.

Prints one line a violation, FILE:LINE: what is wrong, and exits 1 where there is any.
"""
import re
import sys
from pathlib import Path

FLOORS = {"base": 1, "git": 2, "config": 3, "patch": 3, "snapshot": 3, "transaction": 3, "merge": 4, "report": 5,
          "pipeline": 6, "cli": 7}

# The room that a public header belongs to; those not named here are the pipeline's.
PUBLIC_ROOMS = {"error": "base", "progress": "base", "version": "base", "words": "base", "rules": "base", "settings": "config",
                "report": "report"}

# Third-party headers, by how their names begin, and the one room that may include them. None: any room, but no
# public header.
THIRD_PARTY = {"git2": "git", "mbedtls/": "git", "CLI/": "cli", "yaml-cpp/": "config", "spdlog/": "cli", "nlohmann/": None, "fmt/": None}

def called(names):
    """Calls of these functions of the C library, not members or declarations of the same name."""
    return re.compile(r"(?:^|[;{}()&|?,=!]|(?<!:):(?!:)|\breturn|\belse|\bdo)\s*(?:std::|(?<!\w)::)?(?:" + names + r")\s*\(")


# What only the command line may do.
FORBIDDEN = [
    (re.compile(r"\bstd::(cout|cerr|clog)\b"), "prints"),
    (called("printf|puts|putchar|vprintf|fprintf|fputs|perror"), "prints"),
    (re.compile(r"\bfmt::print(ln)?\s*\("), "prints"),
    (called("exit|quick_exit"), "exits"),
    (re.compile(r"\bstd::(abort|terminate)\s*\("), "exits"),
    (called("getenv|secure_getenv"), "reads the environment"),
    (re.compile(r"\benviron\b"), "reads the environment"),
]
# A child inherits our environment: whoever starts programs has to read it.
ENVIRONMENT_READERS = {"src/base/process.cpp", "src/base/spawn.cpp"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
COMMENT_OR_TEXT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"([^()\s\\]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.S)


def without_comments_and_texts(source):
    """The source with comments and literals blanked, line numbers kept. Digit separators (1'000) do no harm here."""
    return COMMENT_OR_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), source)


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".hpp", ".cpp", ".h", ".c", ".inc"))


def third_party(name):
    """(how it begins, the room it belongs to), or nothing for other headers."""
    for prefix, room in THIRD_PARTY.items():
        if name.startswith(prefix):
            return prefix, room
    return None


def public_room(name):
    return PUBLIC_ROOMS.get(Path(name).stem, "pipeline")


class Check:
    def __init__(self, project):
        self.project = project
        self.violations = []

    def report(self, path, line, text):
        self.violations.append(f"{path.relative_to(self.project)}:{line}: {text}")

    def includes(self, path):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match.group(2)

    def check_room_include(self, path, number, room, name):
        found = third_party(name)
        if found:
            if found[1] not in (None, room):
                self.report(path, number, f"<{name}> belongs to src/{found[1]} only")
            return
        first = name.split("/")[0]
        if first == "carry":
            if FLOORS[public_room(name)] > FLOORS[room]:
                self.report(path, number, f"<{name}> is src/{public_room(name)}'s, above src/{room}")
        elif first in FLOORS and "/" in name:
            if first != room and FLOORS[first] == FLOORS[room]:
                self.report(path, number, f'"{name}" is on the same floor as src/{room}')
            elif FLOORS[first] > FLOORS[room]:
                self.report(path, number, f'"{name}" is above src/{room}')
        elif first == ".." or (path.parent / name).exists() and (path.parent / name).suffix == ".hpp":
            self.report(path, number, f'"{name}" is to be named from src: "{room}/..."')

    def check_public_include(self, path, number, name):
        if name.startswith("carry/"):
            mine, other = public_room(path.name), public_room(name)
            if FLOORS[other] > FLOORS[mine]:
                self.report(path, number, f"<{name}> is src/{other}'s, above src/{mine}, whose header this is")
        elif "/" in name and not name.startswith("sys/") or third_party(name):
            self.report(path, number, f"a public header includes '{name}'")
        elif name.startswith("sys/") or name.endswith((".h", ".hpp")):
            self.report(path, number, f"a public header includes '{name}', which is not of the standard library")

    def check_words(self, path, room):
        if room == "cli":
            return
        relative = path.relative_to(self.project).as_posix()
        text = without_comments_and_texts(path.read_text(errors="replace"))
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, what in FORBIDDEN:
                match = pattern.search(line)
                if match and not (what == "reads the environment" and relative in ENVIRONMENT_READERS):
                    self.report(path, number, f"'{match.group(0).strip(' ;{}()=')}': only src/cli {what}")

    def run(self):
        source = self.project / "src"
        for path in sources(source):
            room = path.relative_to(source).parts[0]
            if room not in FLOORS:
                self.report(path, 1, "not in a room of the house")
                continue
            for number, name in self.includes(path):
                self.check_room_include(path, number, room, name)
            self.check_words(path, room)
        for path in sources(self.project / "include"):
            for number, name in self.includes(path):
                self.check_public_include(path, number, name)
            self.check_words(path, public_room(path.name))
        return self.violations


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    project = Path(sys.argv[1]).resolve()
    if not (project / "src" / "base").is_dir():
        sys.exit(f"there is no source tree in {project}")
    violations = Check(project).run()
    for line in violations:
        print(line)
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()

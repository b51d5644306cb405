#!/usr/bin/env python3
"""The layering check has to see a planted violation of every kind, and nothing in a tree that has none."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).with_name("check_layers.py")

SOUND = {
    "src/base/text.hpp": "#pragma once\n#include <string>\n",
    "src/base/text.cpp": '#include "base/text.hpp"\n#include <carry/error.hpp>\n#include <fmt/format.h>\n'
                         '// printf("x") and exit(1) in a comment\nauto s = "std::cout << getenv(\\"A\\")";\n'
                         "auto r = R\"(exit(1))\"; auto c = '\"'; int n = snprintf(b, 1, f);\n",
    "src/base/spawn.cpp": "char** e = environ;\n",
    "src/git/refs.cpp": '#include "base/text.hpp"\n#include <git2.h>\n#include <git2/sys/odb_backend.h>\n',
    "src/config/file.cpp": "#include <yaml-cpp/yaml.h>\n#include <carry/settings.hpp>\n",
    "src/report/json.cpp": "#include <nlohmann/json.hpp>\n#include <carry/report.hpp>\n",
    "src/merge/fate.cpp": '#include "snapshot/chain.hpp"\n#include "merge/fate.hpp"\n#include <sys/stat.h>\n',
    "src/pipeline/run.cpp": "void f() { child.exit(1); x->exit(1); _exit(1); A::exit(1); }\n"
                            "struct A { void exit(int); void abort(); };\nvoid A::exit(int) {}\n",
    "src/cli/main.cpp": '#include "pipeline/run.hpp"\n#include <CLI/CLI.hpp>\n#include <spdlog/spdlog.h>\n'
                        'int main() { std::cout << getenv("A"); exit(1); }\n',
    "include/carry/error.hpp": "#include <string>\n",
    "include/carry/settings.hpp": "#include <carry/error.hpp>\n",
    "include/carry/report.hpp": "#include <carry/settings.hpp>\n#include <vector>\n",
    "include/carry/commands.hpp": "#include <carry/report.hpp>\n",
}

# What is added to the sound tree, and how the report of it begins and what it says.
PLANTED = [
    ("src/base/a.cpp", '\n#include "git/refs.hpp"\n', "src/base/a.cpp:2:", "above src/base"),
    ("src/snapshot/a.hpp", '#include "patch/patch.hpp"\n', "src/snapshot/a.hpp:1:", "same floor"),
    ("src/merge/a.cpp", "#  include <carry/report.hpp>\n", "src/merge/a.cpp:1:", "above src/merge"),
    ("src/report/a.cpp", "#include <carry/commands.hpp>\n", "src/report/a.cpp:1:", "above src/report"),
    ("src/pipeline/a.cpp", '#include "cli/ui.hpp"\n', "src/pipeline/a.cpp:1:", "above src/pipeline"),
    ("src/git/a.cpp", '#include "../base/text.hpp"\n', "src/git/a.cpp:1:", "named from src"),
    ("src/base/a.cpp", '#include "text.hpp"\n', "src/base/a.cpp:1:", "named from src"),
    ("src/merge/a.cpp", "#include <git2.h>\n", "src/merge/a.cpp:1:", "src/git only"),
    ("src/merge/a.cpp", "#include <git2/oid.h>\n", "src/merge/a.cpp:1:", "src/git only"),
    ("src/pipeline/a.cpp", "#include <CLI/CLI.hpp>\n", "src/pipeline/a.cpp:1:", "src/cli only"),
    ("src/pipeline/a.cpp", "#include <spdlog/spdlog.h>\n", "src/pipeline/a.cpp:1:", "src/cli only"),
    ("src/git/a.cpp", "#include <yaml-cpp/yaml.h>\n", "src/git/a.cpp:1:", "src/config only"),
    ("include/carry/a.hpp", "#include <git2.h>\n", "include/carry/a.hpp:1:", "public header"),
    ("include/carry/a.hpp", "#include <nlohmann/json.hpp>\n", "include/carry/a.hpp:1:", "public header"),
    ("include/carry/a.hpp", "#include <fmt/format.h>\n", "include/carry/a.hpp:1:", "public header"),
    ("include/carry/a.hpp", '#include "base/text.hpp"\n', "include/carry/a.hpp:1:", "public header"),
    ("include/carry/a.hpp", "#include <sys/stat.h>\n", "include/carry/a.hpp:1:", "standard library"),
    ("include/carry/progress.hpp", "#include <carry/report.hpp>\n", "include/carry/progress.hpp:1:", "above src/base"),
    ("src/base/a.cpp", "void f() { std::cout << 1; }\n", "src/base/a.cpp:1:", "prints"),
    ("src/base/a.cpp", "void f() {\n  std::printf(\"x\");\n}\n", "src/base/a.cpp:2:", "prints"),
    ("src/git/a.cpp", "/* a\n b */ void f() { fmt::print(\"x\"); }\n", "src/git/a.cpp:2:", "prints"),
    ("src/git/a.cpp", "void f() { fprintf(stderr, \"x\"); }\n", "src/git/a.cpp:1:", "prints"),
    ("src/pipeline/a.cpp", "void f() { exit(1); }\n", "src/pipeline/a.cpp:1:", "exits"),
    ("src/pipeline/a.cpp", "void f() { std::exit(1); }\n", "src/pipeline/a.cpp:1:", "exits"),
    ("src/pipeline/a.cpp", "int f(bool x) {\n  if (x)\n    ::exit(1);\n}\n", "src/pipeline/a.cpp:3:", "exits"),
    ("src/pipeline/a.cpp", "void f() { std::abort(); }\n", "src/pipeline/a.cpp:1:", "exits"),
    ("src/config/a.cpp", "auto v = getenv(\"HOME\");\n", "src/config/a.cpp:1:", "environment"),
    ("src/config/a.cpp", "auto v = std::getenv(\"HOME\");\n", "src/config/a.cpp:1:", "environment"),
    ("src/config/a.cpp", "auto v = secure_getenv(\"HOME\");\n", "src/config/a.cpp:1:", "environment"),
    ("src/git/a.cpp", "auto v = environ[0];\n", "src/git/a.cpp:1:", "environment"),
    ("src/tools/a.cpp", "\n", "src/tools/a.cpp:1:", "not in a room"),
]


class CheckLayers(unittest.TestCase):
    def run_on(self, files):
        with tempfile.TemporaryDirectory() as name:
            for path, text in files.items():
                target = Path(name) / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
            done = subprocess.run([sys.executable, str(CHECK), name], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_a_sound_tree_passes(self):
        self.assertEqual(self.run_on(SOUND), (0, []))

    def test_each_planted_violation_is_reported(self):
        for path, text, place, words in PLANTED:
            with self.subTest(path=path, text=text):
                code, lines = self.run_on({**SOUND, path: text})
                self.assertEqual(code, 1)
                self.assertEqual(len(lines), 1, lines)
                self.assertTrue(lines[0].startswith(place), lines)
                self.assertIn(words, lines[0])

    def test_an_empty_folder_is_no_success(self):
        self.assertNotEqual(self.run_on({"README": ""})[0], 0)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Options, packages and files that the documents name exist. README.zh-CN.md has the commands of README.md; both are short."""

import re
import subprocess
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import SOURCE, checks
from pages import PAGES, PROGRAMS, helps, readme_commands

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
# Programs that are not of this project, with their own options.
FOREIGN = re.compile(r"(?<![\w-])(python3|awk|sort|adb|meson|apt|git)\b.*")


def read(name):
    return (SOURCE / name).read_text(encoding="utf-8")


def options():
    """All options of programs and scripts."""
    texts = [text for program in PROGRAMS for text in helps(program).values()]
    fleet = (f"tools/fleet/jank-fleet {name}" for name in ("start", "stop", "load", "query", "page", "drop", "clean"))
    for words in ("tests/bench/bench.py", *fleet):
        texts.append(subprocess.run([sys.executable, *words.split(), "--help"], cwd=SOURCE, capture_output=True, text=True).stdout)
    # The comment at the begin of a script.
    texts += [re.match(r"(#.*\n)*", read(f"tools/{name}"))[0] for name in ("check", "bench", "build-device", "build-windows", "install-deps", "release")]
    return {"--version", *OPTION.findall("".join(texts))}


known, readmes = options(), {name: read(name) for name in ("README.md", "tests/bench/README.md", "tools/fleet/README.md")}
for name, text in {**readmes, **{path.name: path.read_text(encoding="utf-8") for path in PAGES.iterdir()}}.items():
    # Lines of man pages that begin with a point are of roff.
    named = OPTION.findall(FOREIGN.sub("", re.sub(r"^\..*", "", text, flags=re.M)))
    named += ["--" + option.replace("\\", "") for option in re.findall(r"\bFl \\-([a-z\\-]+)", re.sub(r"^\.B[ld].*", "", text, flags=re.M))]
    checks.equal(set(named) - known, set(), f"options that are in {name} and in no --help")
for name in set(re.findall(r"[`(]((?:tools|rules|tests|parser|daemon)/[\w./-]+)[`)]", "".join(readmes.values()))):
    checks.that((SOURCE / name).exists(), f"{name} is in a README and not in the tree")
listed = re.findall(r"^\| `([a-z0-9.+-]+)` \| (?:`--(\w+)` )?\|", read("CONTRIBUTING.md").split("\n## Packages\n")[1].split("\n## ")[0], re.M)
groups = re.findall(r"^([A-Z]+)='\n(.*?)^'", read("tools/install-deps"), re.M | re.S)
packages = {(line.split()[0], group.lower().replace("needed", "")) for group, table in groups for line in table.splitlines()}
checks.equal(set(listed) ^ packages, set(), "packages of CONTRIBUTING.md and of tools/install-deps, with their options")
chinese = read("README.zh-CN.md")
checks.equal(readme_commands(chinese), readme_commands(readmes["README.md"]), "commands of README.zh-CN.md")
for name, text in {"README.zh-CN.md": chinese, "README.md": readmes["README.md"]}.items():
    checks.that(text.count("\n") <= 150, f"{name} has more than 150 lines")
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text)]
    checks.equal([link for link in links if link and not (SOURCE / link).exists()], [], f"{name}: links to nothing")
checks.end()

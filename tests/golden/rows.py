# SPDX-License-Identifier: Apache-2.0
"""What analyze writes and prints is what it wrote and printed before, to the byte: every recorded trace, case, scenario and
version of Android, damaged mixtures of scenarios, and options. Other tests judge whether a row is right; this one
notices a row that a change of the code was not to change. It prints the names of recorded inputs that rows.txt does not have yet.

    tests/golden/rows.py --into DIR     keep all outputs there; of two commits: diff -r BEFORE AFTER
    tests/golden/rows.py --write        after a change of rows that is meant: write their sums into rows.txt
"""

import argparse
import concurrent.futures
import hashlib
import itertools
import os
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from jankd import SHARED, SOURCE, checks, folder, jankd, phones, scenario, skip, unpacks

SUMS = pathlib.Path(__file__).with_suffix(".txt")
ALL = ["--frames-log", "-T", "2"]
# Options, on the recorded trace or scenario of that name.
OPTIONS = {
    "android-9-list-jank": (["-T", "3", "-k", "50", "-t", "90"], ["--rules", "gfx2019"], ["--stdout"], ["--json", "-T", "4", "-f", "5"],
                            ["--snapshot", "50", "--snapshot-seconds", "2", *ALL], ["--rotate-size", "8K", "--keep", "3", *ALL]),
    "android-11-launcher": (["--rules", "gfx2019", *ALL], ["--include", "*launcher*"], ["--exclude", "StatusBar*", "-T", "1"],
                            ["--trigger", "interval>30ms", *ALL], ["--max-threads", "16", *ALL], ["-d", "0.1", "-f", "3"]),
    "android-14 demo": (["--trigger", "fps<40 for 0.5s on *game*", *ALL], ["--class", "game"], ["--rotate-time", "2", *ALL],
                        ["--vsync-ms", "8.333", *ALL], ["--focus", "com.example.game"], ["--exclude", "*game*", "--keep", "2", "--rotate-time", "1"]),
}


def damaged(texts, below):
    """Parts of some of the @texts, of whose lines some are missing, with and without a report, double, late, or other ones than they were."""
    left, seldom = [], 300 + below(22) ** 3
    for text in (texts[below(len(texts))] for _ in range(1 + below(5) // 3)):
        begin = below(3) // 2 * below(20000)
        left = [*itertools.islice(text.open("rb"), begin, begin + 200 + below(16000))][::-1] + left
    while left:
        line, how, near = left.pop(), below(seldom), max(0, len(left) - 1 - below(40))
        if how == 0:
            del left[near:]
        elif how == 1:
            left += [line, *left[near:]]
        elif how == 2:
            left.insert(near, line)
        elif how == 3:
            del left[near:]
            yield b"CPU:%d [LOST %d EVENTS]\n" % (below(8), below(1000))
        elif how < 8:
            places = [*re.finditer(rb"\d+|\n", line)]
            begin, end = places[below(len(places))].span()
            line = line[:begin] + (b"%d" % below(50), b"%d" % below(1 << 40), b" ")[below(3)] + line[end:]
        yield line


def mixtures(here):
    """Damaged files without a last line end, the same ones each time, some of them sorted by CPU, each with the options of another row."""
    options = [ALL, *(words for choices in OPTIONS.values() for words in choices)]
    texts = (*sorted((SOURCE / "tests" / "fuzz" / "stream_seeds").iterdir()), *sorted(here.glob("android-*.txt")))
    chance = random.Random(1)
    for number in range(96):
        lines = damaged(texts, lambda limit: int(chance.random() * limit))
        path = here / f"mixture {number:02}"
        path.write_bytes(b"".join(sorted(lines, key=lambda line: line[:line.find(b"]")][-3:]) if number % 16 == 1 else lines)[:-1])
        yield path.name, path, options[number % len(options)]


def inputs(here):
    """(name, file, options) of everything that is analyzed. The name of a file that is not of this tree has the sum of its content."""
    for path in sorted((*SHARED.glob("traces/*/trace.*"), *SHARED.glob("cases/*"))):
        name = f"{path.parent.name} {path.name.split('.')[1]}" if path.name.startswith("trace.") else path.name
        if path.suffix not in (".md", ".py"):
            yield f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()[:6]}", path, ALL
    for name, vocabulary in phones():
        path = scenario(name, here / f"{vocabulary}-{name}.txt", vocabulary=vocabulary)
        yield f"{vocabulary} {name}", path, ALL
    yield from mixtures(here)


def output(into, path, options):
    """All that analyze writes and prints, below the folder @into."""
    into.mkdir(parents=True)
    os.symlink(path, into / "trace")
    done = jankd("analyze", "-F", "out", *options, "trace", cwd=into)
    (into / "trace").unlink()
    (into / "out" / ".lock").unlink(missing_ok=True)
    (into / "said").write_bytes(done.stdout + done.stderr + b"exit code %d\n" % done.returncode)
    return into


def digest(into):
    sums = hashlib.sha256()
    for path in sorted(path for path in into.rglob("*") if path.is_file()):
        content = re.sub(rb'"jankd":"[^"]*"', b"", path.read_bytes())
        sums.update(b"%s %d\n%s" % (str(path.relative_to(into)).encode(), len(content), content))
    return sums.hexdigest()[:12]


def sums_of(into, path, options, known):
    """For a mutant the first difference is enough."""
    found = digest(output(into, path, options))
    if "MUTANT" in os.environ and found != known.get(into.name, found):
        print(f"{into.name}: other rows than before", flush=True)
        os._exit(1)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not SHARED.is_dir():
        skip(f"no recorded traces: {os.path.relpath(SHARED)} is missing")
    if not unpacks():
        skip("this build of analyze does not unpack xz: it was built without libarchive")

    known = dict(reversed(line.split(" ", 1)) for line in SUMS.read_text().splitlines())
    with folder() as here, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = options.into or here / "outputs"
        done = []
        for name, path, most in inputs(here):
            done.append((name, pool.submit(sums_of, outputs / name, path, most, known)))
            for number, words in enumerate(OPTIONS.get(name.partition(" txt")[0], ()), 1):
                done.append((f"{name} {number}", pool.submit(sums_of, outputs / f"{name} {number}", path, words, known)))
        found = {name: result.result() for name, result in done}
        for name in found:
            checks.that(name[-2:-1] != " " or (outputs / name / "said").read_bytes().endswith(b" 0\n"), f"{name}: the options are refused")
    if options.write:
        SUMS.write_text("".join(f"{sums} {name}\n" for name, sums in sorted(found.items())))
    judged = sorted(found.keys() & known.keys())
    new = sorted(found.keys() - known.keys())
    print(f"not in rows.txt: {new}")
    checks.equal([name for name in new if tuple(name.split()[1::-1]) in phones()], [], "scenarios that are not in rows.txt")
    checks.that(2 * len(judged) > len(known), f"only {len(judged)} of {len(known)} inputs are there")
    for name in judged:
        checks.that(found[name] == known[name], f"{name}: other rows than before; tests/golden/rows.py --help says how to compare them")
    checks.end()


if __name__ == "__main__":
    main()

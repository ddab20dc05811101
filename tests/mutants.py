#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The power of the tests: the share of small faults in parser/, rules/ and daemon/ that they find.

    tests/mutants.py                                        300 mutants, an hour or more: run it by hand, not in CI
    tests/mutants.py --files 'rules/vsync/*.c' --count 40    of some files
    tests/mutants.py --source ../before --work /var/tmp/m   of another tree, whose own tests judge
    tests/mutants.py --plain --count 80                     without sanitizers: several times quicker, and finds no more

A mutant is the program with one change of one place in a .c file: a comparison turned, a constant off by one, a call or an
assignment removed, a branch taken always or never, && for ||, an operator or a truth value changed. The place is never in a
comment, text, preprocessor line or assertion. Each of the eight kinds has the same share. The seed decides which: a place's
rank is a hash of seed, file and the text of its line, so that trees of different commits share most of their mutants.
A mutant that does not compile, or compiles to the same objects, is replaced by the next one.

The tests: those of the suites unit, golden, badinput, fuzz, report and live that are quick or that .ci/run executes with
sanitizers, in such a build. Of these a mutant is given the ones that execute its line, until one fails twice or takes more than
five times its own time and 10 s, on a busy machine as much longer; the first time that a test does so, it has to pass without the
change. The first are quick and execute little beside the mutant's file; those of live, which mostly wait, come last. Which lines a
test executes, and how long it takes, comes from a build with gcov, which sees nothing of a process that is killed or ends with
_exit(). A line that it does not list, such as one of a table, has the tests of the statement before it, or of its file.

A test runs as root in namespaces of its own: with an empty /tmp, and without tracefs if it is not of live. It ends with all
of its processes. The tree is copied: it may change meanwhile.
"""

import argparse, collections, contextlib, fnmatch, hashlib, itertools, json, os, pathlib, queue, re, shutil, signal, subprocess, sys, tempfile, threading
import time

ROOMS = ("parser", "rules", "daemon")
SUITES = ("unit", "golden", "badinput", "fuzz", "report", "live")
SANITIZED = ["-Db_sanitize=address,undefined", "-Dc_args=-O2 -w"]

LIMITS = {"ASAN_OPTIONS": "halt_on_error=1:abort_on_error=1:detect_leaks=1:hard_rss_limit_mb=4000", "UBSAN_OPTIONS": "halt_on_error=1:abort_on_error=1"}

# What is no code: comments, texts, characters, preprocessor lines.
NO_CODE = re.compile(
    r"""//[^\n]*|/\*[\s\S]*?\*/|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*""", re.M)
ASSERTION = re.compile(r"\b(?:static_assert|_Static_assert|assert)\s*(?=\()")

COMPARISONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
OTHERS = {
    "logic": {"&&": "||", "||": "&&"},
    "arithmetic": {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "|": "&", "&": "|"}
    | {"+=": "-=", "-=": "+=", "|=": "&=", "&=": "|="},
    "truth": {"true": "false", "false": "true", "!": ""}}
OPERATOR = re.compile(r"(?<=\s)(?:&&|\|\||[<>=!+|&-]=|[<>+*/%|&-])(?=\s)|\b(?:true|false)\b|!(?=[\w(])")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|[1-9]\d*|0)([uUlL]*)(?![\w.])")
STATEMENT = re.compile(
    r"(?:(?<=[;{}):])|(?<=\belse))\s*\n[ \t]+((?:\(void\))?(?P<call>[a-z_][\w>.-]*)\(|[*\w.\[\]>+-]+ [-+*|&]?= )")
BRANCH = re.compile(r"\b(if|while) (?=\()")

# Runs "$@" where it can do no harm. $WORK stays visible, wherever it is, and tracefs if $LIVE is set.
SANDBOX = """set -e
mount -n -t tmpfs -o size=2g,mode=1777 none /mnt
case $WORK in /tmp/*) mkdir -p "/mnt/${WORK#/tmp/}"; mount -n --bind "$WORK" "/mnt/${WORK#/tmp/}";; esac
mount -n --move /mnt /tmp
for folder in /sys/kernel/tracing /sys/kernel/debug; do [ "$LIVE" -o ! -d $folder ] || mount -n -t tmpfs none $folder; done
cd "$BUILD"
"$@"
"""

# Instead of jank-phone, which has no mutant and takes most of the time of golden rows: what it has written before, as a copy, which a
# test may change.
PHONE = """#!/bin/sh
[ "$1 $3 $5 $7" = "--scenario --speed --output --truth" ] || exec "$JANKD_BUILD/tools/jank-phone" "$@"
name=$2 output=$6 truth=$8
shift 8
kept="${0%/*}/$(echo "$name $*" | tr '/ ' '_ ')"
[ -e "$kept" ] || {
    "$JANKD_BUILD/tools/jank-phone" --scenario "$name" --speed 0 --output "$kept.$$" --truth "$kept.truth.$$" "$@" || exit
    mv "$kept.truth.$$" "$kept.truth" && mv "$kept.$$" "$kept"
}
cp "$kept" "$output" && cp "$kept.truth" "$truth"
"""


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def after_parenthesis(code, at):
    """Where the parenthesis that opens at @at has been closed, or None."""
    depth = 0
    for place in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[place], 0)
        if depth == 0:
            return place + 1
    return None


def only_code(text):
    code = NO_CODE.sub(lambda found: blank(found[0]), text)
    for found in ASSERTION.finditer(code):
        end = after_parenthesis(code, found.end())
        code = code[:found.start()] + blank(code[found.start():end]) + code[end:]
    return code


def changes(text):
    """(kind, begin, end, replacement) of all mutants of a file."""
    code = only_code(text)
    for found in OPERATOR.finditer(code):
        for other in COMPARISONS.get(found[0], ()):
            yield "comparison", *found.span(), other
        for kind in (kind for kind, others in OTHERS.items() if found[0] in others):
            yield kind, *found.span(), OTHERS[kind][found[0]]
    for found in NUMBER.finditer(code):
        value = int(found[1], 0)
        for other in (value + 1, value - 1) if value else (1,):
            yield "constant", *found.span(), (hex(other) if found[1][1:2] in tuple("xX") else str(other)) + found[2]
    for found in STATEMENT.finditer(code):
        end = after_parenthesis(code, found.end() - 1) if found["call"] else code.find(";", found.end())
        if end and code[end] == ";" and "{" not in code[found.end():end]:
            lines = "\n" * code.count("\n", found.start(1), end)
            yield "call" if found["call"] else "assignment", found.start(1), end, lines
    for found in BRANCH.finditer(code):
        end = after_parenthesis(code, found.end())
        # The condition is still evaluated, for its side effects.
        for other in ("&& 0", "|| 1") if found[1] == "if" else ("&& 0",):
            yield "branch", found.end(), end, f"({text[found.end():end]} {other})"


class Mutant:
    def __init__(self, file, text, kind, begin, end, new):
        self.file, self.kind, self.original, self.change = file, kind, text, (begin, end, new)
        self.line = text.count("\n", 0, begin) + 1
        first, last = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
        self.old = " ".join(text[first:last].split())
        self.new = " ".join((text[first:begin] + new + text[end:last]).split())

    def text(self):
        begin, end, new = self.change
        return self.original[:begin] + new + self.original[end:]


def candidates(source, patterns, seed):
    """All mutants of the tree, in the order of the seed, the kinds in turn."""
    kinds = collections.defaultdict(list)
    seen = collections.Counter()
    for room in ROOMS:
        for path in sorted((source / room).rglob("*.c")):
            file = str(path.relative_to(source))
            if patterns and not any(fnmatch.fnmatch(file, pattern) for pattern in patterns):
                continue
            text = path.read_text()
            for change in changes(text):
                mutant = Mutant(file, text, *change)
                name = f"{seed}:{file}:{mutant.kind}:{mutant.old}:{mutant.new}"
                seen[name] += 1
                kinds[mutant.kind].append((hashlib.sha1(f"{name}:{seen[name]}".encode()).digest(), mutant))
    for mutants in kinds.values():
        mutants.sort(key=lambda ranked: ranked[0])
    in_turn = itertools.zip_longest(*(kinds[kind] for kind in sorted(kinds)))
    return [ranked[1] for row in in_turn for ranked in row if ranked]


class Tree:
    """A copy of the tree with a build of its own."""

    def __init__(self, source, folder, setup):
        self.source, self.build, self.work = folder / "source", folder / "build", folder.parent
        for copy in (path for path in files_of(self.source) if not (source / path.relative_to(self.source)).exists()):
            copy.unlink()
        for path, copy in ((path, self.source / path.relative_to(source)) for path in files_of(source)):
            if not copy.exists() or copy.read_bytes() != path.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
        if not (folder / "shared").is_symlink() and (source.parent / "shared").exists():
            (folder / "shared").symlink_to((source.parent / "shared").resolve())
        if not (self.build / "build.ninja").exists():
            subprocess.run(["meson", "setup", self.build, self.source, "-Db_lto=false", "-Dbuildtype=plain", *setup],
                           check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        self.making = threading.Lock()
        self.originals = {}  # of a .c file, its objects' contents without a change
        self.objects = collections.defaultdict(list)
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            self.objects[os.path.relpath(self.build / entry["file"], self.source)].append(entry["output"])
        self.files = {target["id"]: [os.path.relpath(name, self.build) for name in target["filename"]] for target in self.introspect("targets")}

    def introspect(self, what):
        return json.loads(subprocess.check_output(["meson", "introspect", f"--{what}", self.build]))

    def make(self, *files):
        with self.making:
            return subprocess.run(["ninja", "-C", self.build, "-j2", *files], stdout=subprocess.DEVNULL).returncode == 0

    def tests(self, suites):
        """By suite and name: two suites may have a test of one name."""
        named = (([suite.split(":")[-1] for suite in test["suite"]], test) for test in self.introspect("tests"))
        return {f"{own[0]} {test['name']}": test for own, test in named if {*own} - ({"long"} if "sanitized" in own else set()) <= {*suites, "sanitized"}}

    def run(self, test, limit, **environment):
        """The exit code of a test, or None if it takes longer than the limit; and how long it took, in seconds."""
        if not self.make(*(file for target in test["depends"] for file in self.files[target])):
            sys.exit(f"{test['name']} cannot be built in {self.build}")
        with tempfile.TemporaryDirectory(dir=self.work) as empty:
            # The kernel writes the numbers of processes outside of a namespace into the trace.
            alone = ["--mount"] if is_live(test) else ["--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc"]
            command = ["setpriv", "--pdeathsig", "KILL", "unshare", *alone, "sh", "-c", SANDBOX, "sh", *test["cmd"]]
            variables = os.environ | test["env"] | environment | {"WORK": self.work, "BUILD": self.build, "TMPDIR": "/tmp"}
            variables |= LIMITS | {"LIVE": "yes" if is_live(test) else "", "MUTANT": empty}
            begin = time.monotonic()
            try:
                # In a process group of its own, which a mutant may kill.
                code = subprocess.run(command, env=variables, cwd=empty, timeout=limit, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True).returncode
            except subprocess.TimeoutExpired:
                code = None
            end_all(f"MUTANT={empty}")
            return code, round(time.monotonic() - begin, 2)

    def compiled(self, file):
        """The objects of a .c file, or nothing if it does not compile."""
        names = self.objects.get(file, [])
        return [(self.build / name).read_bytes() for name in names] if names and self.make(*names) else []

    def apply(self, mutant):
        """Whether the mutant compiles, and to other objects than the file without a change."""
        file = mutant.file
        if file not in self.originals:
            self.originals[file] = self.compiled(file)
        (self.source / file).write_text(mutant.text())
        return self.compiled(file) not in ([], self.originals[file])


def load():
    """How much longer something takes on this machine now than on an idle one."""
    return max(1, os.getloadavg()[0] / os.cpu_count())


def is_live(test):
    return any(suite.endswith("live") for suite in test["suite"])


def end_all(variable):
    """Ends all processes with that variable in their environment."""
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if variable.encode() in path.read_bytes().split(b"\0"):
                os.kill(int(path.parent.name), signal.SIGKILL)


def files_of(source):
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in (".git", "__pycache__") and not name.startswith("build")]
        yield from (pathlib.Path(folder, name) for name in names)


def parallel(jobs, work, items):
    """work(worker's number, item) of all items, each by the next free worker."""
    left, failed = queue.SimpleQueue(), []
    for item in items:
        left.put(item)

    def worker(number):
        try:
            while not failed:
                work(number, left.get_nowait())
        except queue.Empty:
            pass
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=worker, args=(number,), daemon=True) for number in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


class Map:
    """Which tests execute a line, and how long each takes. It is kept for each test and state of the tree."""

    def __init__(self, source, work, trees, suites, most):
        sums = hashlib.sha1()
        for path in sorted(files_of(source)):
            sums.update(f"{path.relative_to(source)}\n".encode() + path.read_bytes())
        self.most, self.work, self.kept = most, work, work / f"map-{sums.hexdigest()[:12]}"
        phones = self.kept / "phones"
        phones.mkdir(parents=True, exist_ok=True)
        (phones / "jank-phone").write_text(PHONE)
        (phones / "jank-phone").chmod(0o755)
        os.environ["JANKD_PHONE"] = str(phones / "jank-phone")
        self.known = [tree.tests(suites) for tree in trees]
        missing = [name for name in sorted(self.known[0]) if not (self.kept / f"{name}.json").exists()]
        self.proven, self.unusable = set(), set()  # tests that pass, or do not, without a change
        if missing:
            self.counting = Tree(source, work / "coverage", ["-Db_coverage=true", "-Dc_args=-O0 -w"])
            self.counted = self.counting.tests(suites)
            parallel(len(trees), self.measure, missing)
        self.seconds, self.executed = {}, collections.defaultdict(collections.Counter)
        self.lines = collections.defaultdict(lambda: collections.defaultdict(list))
        for name in sorted(self.known[0]):
            if not (self.kept / f"{name}.json").exists():
                continue
            self.seconds[name], files = json.loads((self.kept / f"{name}.json").read_text())
            for file, lines in files.items():
                self.executed[name][file] = sum(count for _, count in lines)
                for line, count in lines:
                    self.lines[file][line] += [name] if count else []

    def measure(self, number, name):
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            build = self.counting.build
            code, seconds = self.counting.run(self.counted[name], 600 * load(), GCOV_PREFIX=folder, GCOV_PREFIX_STRIP=str(len(build.parts) - 1))
            if code != 0:
                sys.stderr.write(f"{name}: not used: exit code {code} without a change\n")
                return
            # Of tests, too: one may include a .c file.
            data = [path.relative_to(folder) for room in (*ROOMS, "tests") for path in pathlib.Path(folder, room).rglob("*.gcda")]
            for path in (path.with_suffix(".gcno") for path in data):
                pathlib.Path(folder, path).symlink_to(build / path)
            listed = subprocess.run(["gcov", "--json-format", "--stdout", *data], cwd=folder, capture_output=True).stdout
        files = collections.defaultdict(collections.Counter)
        for file in (file for part in listed.splitlines() for file in json.loads(part)["files"]):
            counts = files[os.path.relpath(build / file["file"], self.counting.source)]
            for line in file["lines"]:
                counts[line["line_number"]] |= line["count"] > 0
        found = {file: sorted(counts.items()) for file, counts in files.items() if file.endswith(".c") and file.split("/")[0] in ROOMS}
        part = self.kept / f"{name}.part"
        part.write_text(json.dumps([seconds, found]))
        part.rename(self.kept / f"{name}.json")

    def tests(self, mutant):
        """Those that execute the mutant's line, first what is quick and executes little beside the mutant's file."""
        lines = self.lines[mutant.file]
        names = lines.get(mutant.line)
        if names is None:
            before = mutant.original.split("\n")[:mutant.line]
            begin = max((at for at, line in enumerate(before, 1) if line[:1] in ("{", "}")), default=0)
            known = [line for line in lines if begin <= line < mutant.line]
            in_function = known and before[begin - 1][:1] == "{"
            names = lines[max(known)] if in_function else set(itertools.chain(*lines.values()))
        names = [name for name in names if self.seconds[name] <= self.most or name == "golden rows"]
        # 0.3 s: to link a program. golden rows ends at the first row that differs.
        costs = {name: (0.3 + self.seconds[name] / (20 if name == "golden rows" else 1)) * self.executed[name].total() / self.executed[name][mutant.file] for name in names}
        return sorted(names, key=lambda name: (is_live(self.known[0][name]), costs[name], name))


def passes_unchanged(tree, mutant, test, limit):
    (tree.source / mutant.file).write_text(mutant.original)
    code, _ = tree.run(test, limit)
    (tree.source / mutant.file).write_text(mutant.text())
    return code == 0


def judge(tree, mutant, tests, executed, names):
    """The first of the tests that finds the tree's mutant, and how; or None."""
    for name in (name for name in names if name not in executed.unusable):
        limit = (5 * executed.seconds[name] + 10) * load()
        code, _ = tree.run(tests[name], limit)
        # A failure that is not one of the machine's load is there again.
        if code is None or (code not in (0, 77) and tree.run(tests[name], limit)[0] not in (0, 77)):
            if name not in executed.proven:
                fine = passes_unchanged(tree, mutant, tests[name], limit)
                (executed.proven if fine else executed.unusable).add(name)
                if not fine:
                    sys.stderr.write(f"{name}: not used: it fails without a change\n")
                    continue
            return f"{name}: {'takes too long' if code is None else f'exit code {code}'}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path(__file__).parents[1], help="the tree")
    parser.add_argument("--work", type=pathlib.Path, help="where copies, builds and the map of lines are kept (SOURCE/build-mutants)")
    parser.add_argument("--files", nargs="+", help="of these files only")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--plain", action="store_true", help="judge in a build without sanitizers")
    parser.add_argument("--suites", nargs="+", default=SUITES, help="the tests of these suites only")
    parser.add_argument("--most", type=float, default=float("inf"), help="of tests other than golden rows, those that take no more seconds only")
    parser.add_argument("--list", type=argparse.FileType("a+"), help="append a line of JSON for each mutant; one in it is not run again")
    options = parser.parse_args()

    source = options.source.resolve()
    work = (options.work or source / "build-mutants").resolve()
    setup = ["-Dc_args=-O2 -w"] if options.plain else SANITIZED
    trees = [Tree(source, work / f"{'plain' if options.plain else ''}{number}", setup) for number in range(options.jobs)]
    executed = Map(source, work, trees, options.suites, options.most)
    judged = {}
    if options.list:
        options.list.seek(0)
        judged = {(one["file"], one["line"], one["old"], one["new"]): one for one in map(json.loads, options.list)}
    results, places = [], threading.Semaphore(options.count)  # A mutant that is not valid gives its place back.

    def work_on(number, mutant):
        places.acquire()
        if len(results) == options.count:
            places.release()
            return
        known = judged.get((mutant.file, mutant.line, mutant.old, mutant.new))
        if known:
            results.append(known)
        elif trees[number].apply(mutant):
            names = executed.tests(mutant)
            found = judge(trees[number], mutant, executed.known[number], executed, names)
            result = {"file": mutant.file, "line": mutant.line, "kind": mutant.kind, "old": mutant.old, "new": mutant.new}
            result |= {"found": found, "tests": len(names)}
            results.append(result)
            sys.stderr.write(f"{len(results)}/{options.count} {mutant.file}:{mutant.line} {found or 'lives'}\n")
            if options.list:
                options.list.write(json.dumps(result) + "\n")
                options.list.flush()
        else:
            places.release()
        if not known:
            (trees[number].source / mutant.file).write_text(mutant.original)
        if len(results) == options.count:
            places.release()

    parallel(options.jobs, work_on, candidates(source, options.files, options.seed))
    for one in sorted((one for one in results if not one["found"]), key=lambda one: (one["file"], one["line"])):
        print(f"{one['file']}:{one['line']}: lives, executed by {one['tests']} tests\n  - {one['old']}\n  + {one['new']}")
    found = sum(one["found"] is not None for one in results)
    print(f"{found} of {len(results)} mutants found: {100 * found / max(1, len(results)):.1f} %, by {len(executed.seconds)} tests")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Names that were made to do harm appear as text in every output: markup, formulas, escape sequences, right-to-left marks, NULs, 4 KB."""

import csv, io, json, re, xml.etree.ElementTree
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from csv_files import COLUMNS, COLUMNS_2019, text
from jankd import checks, folder
from report import report, surfaces

NAMES = {b"</script><script>alert(1)</script>": "</script><script>alert(1)</script>", b"=cmd|' /C calc'!A0": "=cmd|' /C calc'!A0",
    b"+1+1": "+1+1", b"@SUM(A1)": "@SUM(A1)", b"\x1b[31mred\x1b]0;title\x07": "\\x1B[31mred\\x1B]0;title\\x07",
    "\u202eevil\u2066".encode(): "\u202eevil\u2066", b"nul\0and\0more": "nul\\x00and\\x00more",
    b"\xff\xfe\xc0\x80": "\\xFF\\xFE\\xC0\\x80", b"line\nend\r": "line\\x0Aend\\x0D", b'quote"quote,comma': 'quote"quote,comma',
    b"back\\slash": "back\\slash", b"x" * 4096: "x" * 4096, "\uffff\U0001f600".encode(): "\uffff\U0001f600",
    "\u6e38\u620f/\u4e3b".encode(): "\u6e38\u620f/\u4e3b", b"{{7*7}}${7*7}`id`$(id)%n%s": "{{7*7}}${7*7}`id`$(id)%n%s", }
TERMINAL = re.compile("[\x00-\x09\x0b-\x1f\x7f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def quoted(name):
    return b'"' + name.replace(b'"', b'""') + b'"'


def write(out):
    out.mkdir()
    with open(out / "fps.csv", "wb") as file:
        file.write(text([], [*COLUMNS_2019, "missed vsyncs", "jank", "stalls"]).encode())
        for name in NAMES:
            for n in range(30):
                file.write(b"%d.0,%d.5,60,60,1.0,16.6,0,0,0,0,0,0,100,0,%s,%s,0,1,0\n" % (n, n, quoted(b"app" + name), quoted(name)))
    with open(out / "events.csv", "wb") as file:
        file.write(text([], COLUMNS["events.csv"]).encode() + b"".join(b"%d.2,,mark,%s\n" % (n, quoted(name)) for n, name in enumerate(NAMES)))
    (out / "session.json").write_bytes(b'{"device":{"model":"\\u001b[2J</script>\\u0000","build":"=1\xff"},"session_id":"\\"\\n"}')


with checks, folder() as here:
    out = here / "out"
    write(out)
    session, = json.loads(report("--json", out).stdout)["sessions"]
    checks.equal((set(surfaces(session)), [s["section"] for s in session["sections"]][1:]), (set(NAMES.values()), list(NAMES.values())), "names in --json; marks in --json")
    checks.equal(session["device"]["model"], "\\x1B[2J</script>", "the model in --json")
    table = list(csv.DictReader(io.StringIO(report("--csv", out).stdout, newline=""), strict=True))
    checks.equal({row["Surface"].removeprefix("'") for row in table}, set(NAMES.values()), "names in --csv")
    checks.equal([cell for row in table for cell in row.values() if cell.startswith(tuple("=+-@\t"))], [], "formulas in --csv")
    done = report("--text", out)
    for line in done.stdout.split("\n"):
        checks.that(not TERMINAL.search(line) and len(line) <= 240, f"--text: {line!r}")
    metrics = report("--openmetrics", out).stdout
    sample = re.compile(r'jank_\w+\{(\w+="(?:[^"\\\n]|\\["\\n])*",?)+\} [-+.e\d]+')
    for line in metrics.split("\n")[:-1]:
        checks.that(line.startswith("# ") or sample.fullmatch(line), f"--openmetrics: {line!r}")
    checks.that(metrics.endswith("# EOF\n"), "the end of --openmetrics")
    junit = here / "results.xml"
    done = report("--surface", "*", "--fail-if", "FPS < 60", "--fail-if", "jank > 20", "--junit", junit, out)
    checks.equal(done.returncode, 3, f"exit code: {done.stderr}")
    for line in done.stderr.split("\n"):
        checks.that(not TERMINAL.search(line) and len(line) < 600, f"standard error: {line!r}")
    suite = xml.etree.ElementTree.parse(junit).getroot()
    named = {case.get("classname").split(": ", 1)[1] for case in suite}
    checks.equal(named, {name.replace("\uffff", "\ufffd") for name in NAMES.values()}, "names in JUnit")
    checks.equal((suite.get("tests"), suite.get("failures")), (str(2 * len(NAMES)), str(len(NAMES))), "counts in JUnit")
    checks.that((done := report("--compare", out, "--new", out)).returncode == 0 and not TERMINAL.search(done.stdout.replace("\n", "")), f"--compare: {done.stdout!r}")
    # A folder's own name.
    hostile = here / "=\x1b[31m\u202e<script>\n"
    out.rename(hostile)
    for option in ("--text", "--csv", "--openmetrics", "--json"):
        checks.that((done := report(option, hostile)).returncode == 0 and "\x1b" not in done.stdout, f"{option} of a folder with a hostile name")

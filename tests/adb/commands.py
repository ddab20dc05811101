# SPDX-License-Identifier: Apache-2.0
"""Each command of jank-adb, and each failure is one clear line."""

import fcntl
import os
import shutil
import stat
import termios
import sys; sys.path.insert(0, f"{sys.path[0]}/../lib")
from jankd import SOURCE
from phones import FOLDER, JANK_ADB, one_line, pieces, run_cases, same_frames, succeeded, trace
from terminal import on_terminal

ROOT = os.geteuid() == 0
SHELL = 2000


def usage(checks, place):
    for words, named in (((), "no command"), (("fly",), "fly"), (("pull", "--fly"), "--fly"), (("pull", "--stop"), "--stop"),
                         (("status", "-F", "fps"), "absolute"), (("record",), "seconds"), (("record", "0"), "seconds"),
                         (("record", "5s"), "5s"), (("mark",), "TEXT"), (("pull", "a", "b"), "b"), (("-s",), "-s"),
                         (("--reconnect", "x", "status"), "--reconnect"), (("install", "--from", "/none"), "/none"),
                         (("record", "5", "--duration", "3"), "--duration"), (("uninstall", "--keep-data", "--discard"), "--discard"),
                         (("start", "--no-rotate"), "--no-rotate"), (("start", "-F", "/data/a\\b"), "-F"), (("start", "-F", "/data/a\nb"), "-F"),
                         (("report", "a", "b"), "b"), (("pull", "--watch"), "--watch"), (("report", "--stop"), "--stop"),
                         (("status", "--all", "-s", "x"), "--all"), (("install", "--discard"), "--discard"), (("install", "--keep-data"), "--keep-data"), (("--stop",), "no command")):
        one_line(checks, f"usage {words}", place.jank_adb(*words), 2, named)
    code, said, _ = place.jank_adb("--help")
    checks.that(code == 0 and all(len(line) <= 80 for line in said), "--help")
    version = (SOURCE / "meson.build").read_text().split("version: '")[1].split("'")[0]
    checks.equal(place.jank_adb("--version"), (0, [f"jank-adb {version}"], []), "--version")


def devices(checks, place):
    """Which device."""
    one_line(checks, "no device", place.jank_adb("status"), 1, "none is attached", "USB debugging")
    phone = place.phone()
    for state, advice in (("unauthorized", "accept"), ("offline", "connect"), ("recovery", "start Android"),
                          ("no permissions (user in plugdev group; are your udev rules wrong?)", "udev")):
        phone.change(state=state)
        one_line(checks, state, place.jank_adb("status"), 1, phone.serial, state.split(" (")[0], advice)
        code, said, error = place.jank_adb("doctor")
        checks.that(code == 1 and any(line.startswith("problem  device: ") and advice in line for line in said) and not error,
                    f"doctor, {state}: {said} {error}")
    phone.change(state="device")
    one_line(checks, "another serial", place.jank_adb("-s", "none", "status"), 1, "none", "not attached")
    place.phone("second")
    one_line(checks, "two devices", place.jank_adb("status"), 1, "2 are attached", "-s", "--all")
    one_line(checks, "top of two", place.jank_adb("top", "--all"), 2, "one device")
    (place.bin / "adb").unlink()
    if not shutil.which("adb"):
        one_line(checks, "no adb", place.jank_adb("status"), 1, "adb", "not found", "ADB")


def installing(checks, place):
    phone = place.phone()
    program = phone.data / "jankd"
    one_line(checks, "not installed", place.jank_adb("start"), 1, "not on the device", "jank-adb install")
    one_line(checks, "nothing to uninstall", place.jank_adb("uninstall"), 1, "not on the device")
    (place.here / "empty").mkdir()
    one_line(checks, "no program", place.jank_adb("install", "--from", "empty"), 1, "jankd-x86_64", "tools/build-device x86_64", "--from")
    phone.change(full=True)
    one_line(checks, "device full", place.installed(), 1, "remote write failed: No space left", "free some disk space")
    phone.change(full=False)
    checks.equal(list(phone.data.iterdir()), [], "device full: files that were left")
    succeeded(checks, "install", place.installed(), "jankd 0.1.0 (x86_64) is installed")
    checks.that(stat.S_IMODE(program.stat().st_mode) == 0o755 and [p.name for p in phone.data.iterdir()] == ["jankd"], "install: files")
    succeeded(checks, "install again", place.installed(), "is installed")
    # Another version is on the device.
    program.write_text("#!/bin/sh\n[ \"$1\" != --version ] || echo jankd 0.0.7\n[ \"$1\" = --version ]\n")
    done = succeeded(checks, "install an update", place.installed(), "replacing 0.0.7")
    (place.programs / "other").mkdir()
    other = place.programs / "other/jankd-x86_64"
    other.write_text("#!/bin/sh\n[ \"$1\" != --version ] || echo jankd 9.9\n[ \"$1\" = --version ]\n")
    done = succeeded(checks, "install another version", place.jank_adb("install", "--from", other.parent), "9.9")
    checks.that(len(done[2]) == 1 and "jank-adb is version" in done[2][0], f"versions are compared: {done}")
    other.write_text("\177ELF")
    one_line(checks, "a program that cannot run", place.jank_adb("install", "--from", other.parent), 1, "cannot run")
    checks.that(place.jank_adb("doctor")[1][3:4] and "note     versions" in place.jank_adb("doctor")[1][3], "doctor: versions differ")


def abis(checks, place):
    """Which program; those of other ABIs are scripts here."""
    for name in ("arm64", "arm"):
        (place.programs / f"jankd-{name}").write_text(f"#!/bin/sh\n. /kernel\ncase $runs in *,{name},*) echo jankd 0.1.0 ;; *) exit 126 ;; esac\n")
    for serial, abilist, abi, machine, runs, chosen in (("new", "arm64-v8a", "arm64-v8a", "aarch64", "arm64", "arm64"),
            ("both", "arm64-v8a,armeabi-v7a,armeabi", "arm64-v8a", "aarch64", "arm64,arm", "arm64"),
            ("32 on 64", "armeabi-v7a,armeabi", "armeabi-v7a", "aarch64", "arm64,arm", "arm"),
            ("32 on 64, no arm", "armeabi-v7a,armeabi", "armeabi-v7a", "aarch64", "arm64", "arm64"),
            ("old", None, "armeabi-v7a", "armv7l", "arm", "arm"), ("64 in name only", "arm64-v8a,armeabi-v7a", "arm64-v8a", "armv8l", "arm", "arm"),
            ("emulator", "x86_64,x86,arm64-v8a", "x86_64", "x86_64", "arm64", "x86_64"), ("32-bit emulator", "x86", "x86", "x86_64", "", "x86_64")):
        properties = {"ro.product.cpu.abi": abi, **({"ro.product.cpu.abilist": abilist} if abilist else {})}
        phone = place.phone(serial, machine, properties)
        (phone.root / "kernel").write_text(f"machine={machine}\nruns=',{runs},'\n")
        succeeded(checks, f"ABI of {serial}", place.installed("-s", serial), f"jankd 0.1.0 ({chosen}) is installed")
    place.phone("mips", "mips64", {"ro.product.cpu.abi": "mips"})
    one_line(checks, "an ABI without a program", place.installed("-s", "mips"), 1, "ABI", "mips", "arm64")
    code, said, _ = place.jank_adb("-s", "mips", "doctor")
    checks.that(code == 1 and any(line.startswith("problem  abi: ") for line in said), f"doctor: ABI: {said}")


def capturing(checks, place):
    phone = place.phone()
    text, truth = trace(place.here)
    succeeded(checks, "install", place.installed())
    for command in ("status", "stop", "top", "mark x"):
        one_line(checks, f"{command} without a capture", place.jank_adb(*command.split()), 1, FOLDER)
    one_line(checks, "pull without a capture", place.jank_adb("pull"), 1, FOLDER)
    one_line(checks, "start with a wrong option", place.jank_adb("start", "--fly"), 2, "--fly")
    succeeded(checks, "start", place.jank_adb("start", "--include", "it's *", "--include", "*"), f"capturing to {FOLDER}")
    one_line(checks, "start again", place.jank_adb("start"), 1, FOLDER)
    first, second = pieces(text, 2)
    phone.play(first)
    before = len(phone.log())
    succeeded(checks, "mark", place.jank_adb("mark", "--", "it's \"50 %\"; $HOME `x` \\n"))
    checks.that(not any("jankd files" in command[-1] and "--read" not in command[-1] for command in phone.log()[before:]), "mark reads all files of the device")
    phone.play(second)
    succeeded(checks, "status", place.jank_adb("status"), "com.example.mail", FOLDER)
    code, said, _ = place.jank_adb("status", "--json")
    checks.that(code == 0 and any('"--include' in line or "it's *" in line for line in said), f"status --json: {said[:30]}")
    code, said, error = place.jank_adb("doctor")
    checks.that(code == 0 and not error and any(line.startswith("ok       tracing_on: on") for line in said) and
                any(f"a capture is running in {FOLDER}" in line for line in said), f"doctor: {code} {said} {error}")
    tables = {command: place.popen(command) for command in ("top", "watch")}
    shown = {command: next((line for line in table.stdout if "Surface" in line), None) for command, table in tables.items()}
    succeeded(checks, "stop", place.jank_adb("stop"), "ended after")
    for command, table in tables.items():
        out, error = table.communicate(timeout=60)
        checks.that(table.returncode == 0 and shown[command] and not error, f"{command}: {table.returncode} {out} {error}")
    checks.that(',mark,"it\'s ""50 %""; $HOME `x` \\n"' in (phone.folder() / "events.csv").read_text(), "mark: text")
    one_line(checks, "uninstall before pull", place.jank_adb("uninstall"), 1, "not been pulled", "--discard", "--keep-data")
    checks.that((phone.data / "jankd").exists() and (phone.folder() / "fps.csv").exists(), "a refused uninstall removed something")
    done = succeeded(checks, "pull", place.jank_adb("pull", "my files"))
    same_frames(checks, "pull", truth, place.into(done))
    (phone.folder() / "photo.csv").write_text("of another program")
    done = succeeded(checks, "uninstall", place.jank_adb("uninstall"), "jankd 0.1.0 has been removed", "not empty")
    checks.equal(sorted(str(p.relative_to(phone.data)) for p in phone.data.rglob("*")), ["fps", "fps/photo.csv"], "uninstall: what is left")


def uninstalling(checks, place):
    """What has not been pulled stays, unless --discard is given."""
    phone = place.phone()
    text, _ = trace(place.here, seconds=3)
    succeeded(checks, "install", place.installed())
    rules = shutil.copy(SOURCE / "rules/language/default.rules", place.here / "my rules")
    succeeded(checks, "start with rules", place.jank_adb("start", "--rules", "my rules"))
    checks.that((phone.data / "jankd.rules").read_bytes() == rules.read_bytes(), "the rules were not copied")
    phone.play(text)
    succeeded(checks, "pull", place.jank_adb("pull"))
    succeeded(checks, "--keep-data", place.jank_adb("uninstall", "--keep-data"))
    checks.that((phone.folder() / "fps.csv").exists() and not (phone.data / "jankd").exists(), "--keep-data")
    succeeded(checks, "install", place.installed())
    succeeded(checks, "--discard", place.jank_adb("uninstall", "--discard"))
    checks.equal(list(phone.data.iterdir()), [], "--discard")
    # A capture that was killed: its settings are restored.
    succeeded(checks, "install", place.installed())
    before = (phone.tracing / "buffer_size_kb").read_text()
    (phone.tracing / "tracing_on").write_text("0\n")
    succeeded(checks, "start", place.jank_adb("start"))
    checks.equal((phone.tracing / "tracing_on").read_text().strip(), "1", "tracing is on")
    phone.kill()
    succeeded(checks, "uninstall after a kill", place.jank_adb("uninstall", "--discard"))
    checks.equal((phone.tracing / "tracing_on").read_text().strip(), "0", "tracing is restored")
    checks.equal((phone.tracing / "buffer_size_kb").read_text().strip(), before.strip(), "the buffer is restored")


def replaced(checks, place):
    """install --stop, and a later session."""
    phone = place.phone()
    place.capture(checks)
    succeeded(checks, "install --stop", place.installed("--stop"), "is installed")
    checks.equal(place.jank_adb("status")[0], 1, "install --stop stops the capture")
    other = "/data/local/tmp/ it's a folder "
    succeeded(checks, "start", place.jank_adb("start", "-F", other))
    succeeded(checks, "status", place.jank_adb("status", f"--folder={other}"), other)
    one_line(checks, "install over a capture in another folder", place.installed(), 1, "a capture is running", other, "--stop")
    one_line(checks, "uninstall: a capture in another folder", place.jank_adb("uninstall"), 1, "not been pulled")
    checks.equal(place.jank_adb("status", "-F", other)[0], 1, "uninstall stops the capture in another folder")
    succeeded(checks, "pull", place.jank_adb("pull"))
    one_line(checks, "uninstall: one folder was pulled", place.jank_adb("uninstall"), 1, "not been pulled", other)
    succeeded(checks, "pull", place.jank_adb("pull", "-F", other))
    succeeded(checks, "uninstall", place.jank_adb("uninstall"))
    checks.equal(list(phone.data.iterdir()), [], "uninstall: both folders")


def rebooted(checks, place):
    """The next command says that the capture ended with the boot; its files can be pulled, and a start goes on."""
    phone = place.phone()
    text, _ = trace(place.here, seconds=6)
    place.capture(checks)
    phone.play(text)
    phone.reboot()
    one_line(checks, "status after a reboot", place.jank_adb("status"), 1, FOLDER, "boot")
    there = place.into(succeeded(checks, "pull after a reboot", place.jank_adb("pull")))
    checks.that((there / "fps.csv").exists(), "pull after a reboot: fps.csv")
    succeeded(checks, "start --resume", place.jank_adb("start", "--resume"))
    checks.that("--resume" in phone.log()[-1][1] and "--frames-log" not in phone.log()[-1][1], f"start --resume: {phone.log()[-1]}")
    one_line(checks, "stop of a capture that counted nothing", place.jank_adb("stop"), 1, "no markers")


def terminal(checks, place):
    """The live table, and the progress of record."""
    phone, text = place.phone(), trace(place.here, seconds=3)[0]
    shell = {"cwd": place.here, "env": place.environment()}
    code, shown = on_terminal(("sh", JANK_ADB, "record", "3", "out", "--from", place.programs), 120, **shell)
    checks.that(code == 1 and b"] 1 of 3 s" in shown and b"[#" in shown and b"nothing was measured" in shown, f"record in a terminal: {code} {shown}")
    succeeded(checks, "start", place.jank_adb("start"))
    phone.play(text)
    code, shown = on_terminal(("sh", JANK_ADB, "top"), 120, until=b"com.example.mail", keys=b"q", **shell)
    checks.that(code == 0 and b"com.example.mail" in shown and b"\x1b[" in shown, f"top in a terminal: {code} {shown}")
    code, shown = on_terminal(("sh", JANK_ADB, "--reconnect", "1", "top"), 120, until=b"com.example.mail",
                              keys=lambda: phone.change(state="offline"), **shell)
    checks.that(code == 1 and 0 <= shown.rfind(b"\x1b[?1049h") < shown.rfind(b"\x1b[?1049l") < shown.rfind(b"connection lost"),
                f"top, and the connection is lost: {code} {shown}")
    phone.change(state="device")
    # Without shell v2 adb leaves the terminal of this machine as it is, and Ctrl-C is for jank-adb.
    (phone.root / "props").write_text("ro.build.version.sdk=19\n")
    code, shown = on_terminal(("sh", JANK_ADB, "top"), 120, until=b"example.mail", keys=b"\x03", start_new_session=True,
                              preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), **shell)
    checks.that(code == 130 and b"\x1b[?1049l\x1b[?25h" in shown, f"top, Ctrl-C without shell v2: {code} {shown}")
    succeeded(checks, "stop", place.jank_adb("stop"))
    (place.bin / "adb").write_text("#!/bin/sh\nexec /bin/sleep 99\n")
    (place.bin / "sleep").symlink_to("/bin/true")
    code, shown = on_terminal(("sh", JANK_ADB, "status"), 120, **shell)
    checks.that(code == 1 and b"still waiting for adb" in shown and b"cannot be started" in shown, f"adb does not start: {code} {shown}")


def user_build(checks, place):
    """The shell user of a device that lets it read nothing."""
    if not ROOT:
        checks.cannot_judge("a user build", "another user needs root")
        return
    phone = place.phone(uid=SHELL)
    for path in (place.here, place.devices, phone.path, phone.root):
        path.chmod(0o755)
    for path in phone.tracing.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    succeeded(checks, "user build: install", place.installed())
    one_line(checks, "user build: start", place.jank_adb("start"), 1, "ermission denied", "; ")
    one_line(checks, "user build: record", place.jank_adb("record", "5", "--from", place.programs), 1, "ermission denied")
    checks.equal([p.name for p in phone.folder().glob("[a-zA-Z]*")], [], "user build: files that were left")
    code, said, error = place.jank_adb("doctor")
    checks.that(code == 1 and len(error) == 1 and error[0].startswith("jank-adb: doctor: ") and
                any(line.startswith("problem  trace_pipe: ") for line in said), f"user build: doctor: {code} {said} {error}")
    phone.tracing.parent.chmod(0o700)
    one_line(checks, "user build, no tracefs: start", place.jank_adb("start"), 1, "tracefs")


run_cases(usage, devices, installing, abis, capturing, uninstalling, replaced, rebooted, terminal, user_build)

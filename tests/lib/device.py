# SPDX-License-Identifier: Apache-2.0
"""Replacements for atrace, getprop, setprop and dumpsys: small scripts on PATH that change a tracefs
instance as Android's programs change the top level. Those named in the variable HANG do not end."""

import os
import pathlib

# The same order as in atrace of Android 16; older ones do less.
ATRACE = """#!/bin/sh
echo "atrace $*" >> "$DEVICE/log"
case " $HANG " in *" atrace "*) sleep 1000;; esac
kb=2048; categories=; mode=; userspace=
while [ $# -gt 0 ]; do
    case $1 in
    -b) kb=$2; shift;;
    -c) ;;
    --list_categories) printf '         gfx - Graphics\\n        view - View System\\n'; exit;;
    --only_userspace) [ -n "$OLD" ] && { echo "atrace: unrecognized option"; exit 1; }; userspace=1;;
    --async_start|--async_stop|--async_dump) mode=$1;;
    -*) echo "unknown option $1"; exit 1;;
    *) categories="$categories $1";;
    esac
    shift
done
[ -n "$FAIL" ] && [ "$mode" = --async_start ] && { echo "error: unknown category"; exit 1; }
put() { [ -e "$INSTANCE/$1" ] && echo "$2" > "$INSTANCE/$1"; }
start() {
    put options/overwrite 1; put buffer_size_kb "$kb"; put saved_cmdlines_size 8192
    for clock in boot mono global; do put trace_clock $clock && break; done
    put options/record-tgid 1
    put current_tracer nop
    put events/oom/mark_victim/enable 0; put events/oom/wake_reaper/enable 0
    put tracing_on 1
    : > "$INSTANCE/trace"
}
stop() {
    put tracing_on 0
    cat "$INSTANCE/trace"
    : > "$INSTANCE/trace"
    put options/overwrite 1; put buffer_size_kb 1
    put options/record-tgid 0
}
tags() { setprop debug.atrace.app_number "$2"; setprop debug.atrace.tags.enableflags "$1"; }
case " $HANG " in *" $mode "*) sleep 1000;; esac
case $mode in
--async_start)
    tags 0xa 0
    setprop debug.atrace.user_initiated 1
    [ -n "$userspace" ] || start;;
--async_stop)
    [ -n "$userspace" ] || stop
    tags 0 ""
    setprop debug.atrace.user_initiated "";;
esac
exit 0
"""

GETPROP = """#!/bin/sh
case " $HANG " in *" getprop "*) sleep 1000;; esac
cat "$DEVICE/properties/$1" 2>/dev/null || echo
"""

SETPROP = """#!/bin/sh
echo "$2" > "$DEVICE/properties/$1"
"""

DUMPSYS = """#!/bin/sh
echo "dumpsys $*" >> "$DEVICE/log"
case " $HANG " in *" dumpsys "*) sleep 1000;; esac
cat "$DEVICE/dumpsys-$1" 2>/dev/null || echo "Can't find service: $1"
"""


class Device:
    """A folder with these scripts, their properties and their log."""

    def __init__(self, path, instance):
        self.path = pathlib.Path(path)
        self.instance = instance
        (self.path / "bin").mkdir(parents=True)
        (self.path / "properties").mkdir()
        for name, text in (("atrace", ATRACE), ("getprop", GETPROP), ("setprop", SETPROP), ("dumpsys", DUMPSYS)):
            script = self.path / "bin" / name
            script.write_text(text)
            script.chmod(0o755)

    def environment(self, **more):
        """Variables for a program that runs on this device."""
        return {**os.environ, "PATH": f"{self.path / 'bin'}:{os.environ['PATH']}", "DEVICE": str(self.path), "INSTANCE": str(self.instance), **more}

    def set(self, name, value):
        (self.path / "properties" / name).write_text(f"{value}\n")

    def get(self, name):
        path = self.path / "properties" / name
        return path.read_text().strip() if path.exists() else ""

    def answers(self, service, text):
        """Sets what dumpsys prints for a service."""
        (self.path / f"dumpsys-{service}").write_text(text)

    def log(self):
        path = self.path / "log"
        return path.read_text().splitlines() if path.exists() else []

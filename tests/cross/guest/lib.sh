# SPDX-License-Identifier: Apache-2.0
#
# What the scripts in the guest share. Each part of a script leaves its files in $OUT, a folder below /out.

TRACEFS=/sys/kernel/tracing
DEVICE=/data/device

# The trace clock 'boot', in seconds.
now()
{
  cut -d ' ' -f 1 /proc/uptime
}

# The settings that a capture may change, one a line.
settings()
{
  (
    cd "$TRACEFS" || exit
    for name in tracing_on trace_clock current_tracer saved_cmdlines_size buffer_percent buffer_size_kb per_cpu/cpu*/buffer_size_kb; do
      echo "$name $(cat "$name" 2>&1)"
    done
    echo "options" $(cat trace_options)
    echo "events" $(cat set_event)
  )
  for name in "$DEVICE"/properties/*; do
    value=$(cat "$name" 2>/dev/null)
    [ -z "$value" ] || echo "${name##*/} $value"
  done
}

# Runs a program as on a bare phone: nothing but the stand-ins on PATH, no HOME, no TMPDIR, no locale.
bare()
{
  env -i PATH="$DEVICE/bin" DEVICE="$DEVICE" INSTANCE="$TRACEFS" "$@"
}

# Runs jankd as user $AS (root if it is not set): keep NAME COMMAND... leaves what it printed in NAME.said and NAME.error, and its exit
# code in NAME.code.
keep()
{
  name=$1
  shift
  if [ -n "${AS:-}" ]; then
    bare /bin/su "$AS" -c "exec /data/local/tmp/jankd $*" >"$OUT/$name.said" 2>"$OUT/$name.error"
  else
    bare /data/local/tmp/jankd "$@" >"$OUT/$name.said" 2>"$OUT/$name.error"
  fi
  echo $? >"$OUT/$name.code"
}

# Plays into the top level: play NUMBER ARGUMENTS... leaves the frames in truth-NUMBER.csv.
play()
{
  number=$1
  shift
  bare /data/local/tmp/jank-phone --top-level --truth "$OUT/truth-$number.csv" "$@" 2>"$OUT/play-$number.error"
  echo $? >"$OUT/play-$number.code"
}

# The process of the capture in folder $1.
pid_of()
{
  sed 's/.*(pid \([0-9]*\)).*/\1/' "$1"
}

begin_part()
{
  OUT=/out/$1
  mkdir -p "$OUT"
  chmod 777 "$OUT"
  settings >"$OUT/before"
}

# Ends the capture in $folder and keeps its files, and what the kernel counts as lost until then. A frame waits for the vsyncs
# around it before it is written.
end_capture()
{
  sleep 1
  keep status status --json -F "$folder"
  cat "$TRACEFS"/per_cpu/cpu*/stats >"$OUT/stats"
  keep stop stop -F "$folder"
  settings >"$OUT/after"
  cp -r "$folder" "$OUT/files"
}

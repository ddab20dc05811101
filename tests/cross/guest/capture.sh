# SPDX-License-Identifier: Apache-2.0
#
# Captures of four scenarios: one source into memory, the other one onto a card with vfat. $raw says where the raw one is. In
# each the files are rotated, and the daemon is killed while the third scenario plays.

. /test/lib.sh

# part NAME FOLDER
part()
{
  begin_part "$1"
  folder=$2
  set -- --source "$1" --frames-log -T 2 -F "$folder"
  keep start-1 start "$@"
  play 1 --vocabulary android-11 --scenario app-switch --seconds 3
  keep rotate rotate -F "$folder"
  play 2 --vocabulary android-14 --scenario idle-gaps --seconds 4
  play 3 --scenario game-30 --seconds 8 &
  sleep 3.5
  pid=$(pid_of "$OUT/start-1.said")
  now >"$OUT/killing"
  kill -9 "$pid"
  now >"$OUT/killed"
  sleep 1
  now >"$OUT/starting"
  keep start-2 start "$@"
  now >"$OUT/started"
  wait
  play 4 --scenario game-30 --seconds 2
  cat "/proc/$(pid_of "$OUT/start-2.said")/status" >"$OUT/memory"
  end_capture
}

# shellcheck disable=SC2154 # from the kernel
if [ "$raw" = card ]; then
  part raw /sdcard/fps
  part text /data/local/tmp/fps
else
  part raw /data/local/tmp/fps
  part text /sdcard/fps
fi

# SPDX-License-Identifier: Apache-2.0
#
# Captures of three scenarios. In each the files are rotated, and the daemon is killed while the third scenario plays.

. /test/lib.sh

# part NAME FOLDER SOURCE
part()
{
  begin_part "$1"
  folder=$2
  set -- --source "$3" --frames-log -T 2 -F "$folder"
  keep start-1 start "$@"
  play 1 --vocabulary android-11 --scenario app-switch --seconds 4
  keep rotate rotate -F "$folder"
  play 2 --vocabulary android-14 --scenario idle-gaps --seconds 5
  play 3 --scenario game-30 --seconds 9 &
  sleep 4
  pid=$(pid_of "$OUT/start-1.said")
  now >"$OUT/killing"
  kill -9 "$pid"
  now >"$OUT/killed"
  sleep 1
  keep start-2 start "$@"
  now >"$OUT/started"
  wait
  sleep 1
  keep status status --json -F "$folder"
  cat "/proc/$(pid_of "$OUT/start-2.said")/status" >"$OUT/memory"
  keep stop stop -F "$folder"
  end_part "$folder"
}

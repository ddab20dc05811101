# SPDX-License-Identifier: Apache-2.0
#
# CPUs that come and go, as on a phone that saves power: one is off when the capture starts, comes, goes, and comes again.

. /test/lib.sh

# cpu 0|1
cpu()
{
  echo "$1" >/sys/devices/system/cpu/cpu1/online
}

# part NAME SOURCE
part()
{
  begin_part "$1"
  folder=/data/local/tmp/$1
  cpu 0
  keep start start --source "$2" --buffer-kb 16384 --frames-log -F "$folder"
  play 1 --vocabulary android-9 --scenario steady-60 --seconds 8 &
  sleep 3
  for to in 1 0 1; do
    cpu $to
    sleep 2
  done
  wait
  sleep 1
  keep status status --json -F "$folder"
  keep stop stop -F "$folder"
  end_part "$folder"
}

part raw raw
part text text

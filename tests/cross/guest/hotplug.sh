# SPDX-License-Identifier: Apache-2.0
#
# CPUs that come and go, as on a phone that saves power: one is off when the capture starts, comes, goes, and comes again.

. /test/lib.sh

for source in raw text; do
  begin_part "hotplug-$source"
  folder=/data/local/tmp/hotplug-$source
  online=/sys/devices/system/cpu/cpu1/online
  echo 0 >$online
  keep start start --source $source --buffer-kb 16384 --frames-log -F "$folder"
  play 1 --vocabulary android-9 --scenario steady-60 --seconds 6 &
  for to in 1 0 1; do
    sleep 1.5
    echo $to >$online
  done
  wait
  end_capture
done

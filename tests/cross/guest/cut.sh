# SPDX-License-Identifier: Apache-2.0
#
# A capture onto the card until the power is cut. The first one syncs its rows. In the second one the kernel decides when
# it writes them, here within a second, so that files may end anywhere.

. /test/lib.sh

begin_part cut
folder=/sdcard/fps
sync=
if [ -d "$folder" ]; then
  echo 50 >/proc/sys/vm/dirty_expire_centisecs
  echo 20 >/proc/sys/vm/dirty_writeback_centisecs
else
  sync='--sync 1'
fi
# shellcheck disable=SC2086 # two words, or none
keep start start --frames-log -T 2 $sync -F "$folder"
if [ -n "$sync" ]; then
  play 1 --scenario game-30 --seconds 4
  dd if="$OUT/truth-1.csv" of=/sdcard/truth.csv conv=fsync 2>/dev/null
  sleep 4
fi
play 2 --vocabulary android-11 --scenario steady-60 --seconds 100 &
sleep 7
echo "guest: cut the power at $(now)"
sleep 100

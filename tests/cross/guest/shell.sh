# SPDX-License-Identifier: Apache-2.0
#
# Android's user shell (2000), with the modes that Android gives to tracefs, in the group readtracefs (3012) and not.

. /test/lib.sh

umount "$TRACEFS"
mount -t tracefs -o mode=755,gid=3012 nodev "$TRACEFS"
cd "$TRACEFS" || exit
chmod 755 . events options per_cpu per_cpu/cpu*
chmod 0222 trace_marker
chmod 0666 tracing_on trace trace_clock buffer_size_kb saved_cmdlines_size options/overwrite options/record-tgid
chgrp 3012 trace_pipe per_cpu/cpu*/trace_pipe_raw
chmod 0440 trace_pipe per_cpu/cpu*/trace_pipe_raw
cd /
chmod -R 777 "$DEVICE"

# part NAME USER FOLDER
part()
{
  begin_part "$1"
  AS=$2
  folder=$3
  keep doctor doctor -F "$folder"
  keep start start --frames-log -F "$folder"
  if [ "$(cat "$OUT/start.code")" = 0 ]; then
    play 1 --scenario game-30 --seconds 3
    end_capture
  elif [ -e "$folder" ]; then
    echo "$folder is left" >>"$OUT/start.error"
  fi
  settings >"$OUT/after"
  AS=
}

part reader reader /data/local/tmp/reader
part shell shell /data/local/tmp/none
# The per-CPU buffers may not be read.
chmod 0700 "$TRACEFS/per_cpu"
part reader-text reader /sdcard/reader
# Before Linux 5.16 all users may read trace_pipe.
chmod 0444 "$TRACEFS/trace_pipe"
part shell-text shell /sdcard/Download/shell

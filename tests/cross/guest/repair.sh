# SPDX-License-Identifier: Apache-2.0
#
# The next start after the power was cut.

. /test/lib.sh

begin_part repair
folder=/sdcard/fps
cp -r /sdcard "$OUT/found"
keep start start --frames-log -T 2 -F "$folder"
play 1 --scenario game-30 --seconds 2
end_capture

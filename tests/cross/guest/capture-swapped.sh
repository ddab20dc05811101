# SPDX-License-Identifier: Apache-2.0
#
# Text into memory, raw onto a card with vfat.

. /test/captures.sh

part raw /sdcard/fps raw
part text /data/local/tmp/fps text

# SPDX-License-Identifier: Apache-2.0
#
# Raw into memory, text onto a card with vfat.

. /test/captures.sh

part raw /data/local/tmp/fps raw
part text /sdcard/fps text

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bare-debian.sh [FOLDER]
#
# Runs the scripts of the README on a minimal Debian 12: makes one with debootstrap in FOLDER (default: a new one in
# /var/tmp, removed at the end), clones the project into it, with ../shared beside it if there is one, and runs tools/demo
# and tools/check there: as root, as a user in the same clone after root, and as root again with nothing mounted, neither
# /proc nor /sys nor /dev/pts. At last tools/release, its tarball as a user, and the commands of the README that need no phone. Prints how long each took.
# Needs root, debootstrap and a network; takes 30 minutes, so it is not part of the test suite.

set -eu

source=$(cd "$(dirname "$0")/../.." && pwd)

[ "$(id -u)" = 0 ] || { echo "skipped: not root"; exit 77; }

# The mirror that this machine uses.
mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\?\(http[^ ]*\).*/\2/p' \
  /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep '/debian/*$' | head -n 1)
mirror=${mirror:-http://deb.debian.org/debian}

bare=${1:-}
if [ -z "$bare" ]; then
  bare=$(mktemp -d /var/tmp/bare-debian-XXXXXX)
  remove=$bare
fi

trap '[ -z "${remove:-}" ] || rm -rf --one-file-system "$remove"' EXIT
trap 'exit 130' INT TERM HUP

# Other users must be able to enter the root folder: some tests run as another user.
chmod 755 "$bare"
[ -x "$bare/bin/sh" ] || debootstrap --variant=minbase bookworm "$bare" "$mirror"
for file in /etc/apt/apt.conf.d/*proxy* /etc/resolv.conf; do
  [ ! -e "$file" ] || cp -L "$file" "$bare$file"
done

rm -rf "$bare/home/jankd" "$bare/home/shared"
git clone -q "$source" "$bare/home/jankd"
[ ! -d "$source/../shared" ] || cp -a "$source/../shared" "$bare/home/shared"

# inside USER COMMAND: what is mounted is gone afterwards
inside() {
  echo "== $2 as $1 in a bare Debian${bare_mounts+ with nothing mounted}"
  home=$(awk -F: -v user="$1" '$1 == user { print $6 }' "$bare/etc/passwd")
  begin=$(date +%s)
  # shellcheck disable=SC2016 # for the other shell
  unshare --mount sh -ec "cd '$bare'; ${bare_mounts-$mounts}"'
    exec chroot --userspec="$1" . env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="$3" LC_ALL=C sh -c "cd /home/jankd && $2"' \
    sh "$1" "$2" "$home" </dev/null || failed="${failed:-}$2 as $1; "
  echo "== $2 as $1 took $(($(date +%s) - begin)) s"
}

mounts='mount -t proc proc proc; mount -t sysfs sysfs sys; mount --rbind /dev dev
  [ ! -d sys/kernel/tracing ] || mount -t tracefs nodev sys/kernel/tracing'
inside root tools/demo
inside root tools/check
chroot "$bare" useradd -m tester 2>/dev/null || :
inside tester tools/demo
inside tester tools/check
bare_mounts=''
inside root tools/demo
inside root tools/check
unset bare_mounts
inside root tools/release
# shellcheck disable=SC2016 # for the other shell
inside tester 'cp build-release/*.* build-release/SHA256SUMS ~ && cd && sha256sum -c SHA256SUMS && tar -xzf *.tar.gz && cd jankd-*/ &&
  sha256sum -c --quiet SHA256SUMS && ./jank-adb --version && ./jank-report --version && ./jankd-x86_64 --version'
inside root 'meson test -C build readme'
[ -z "${failed:-}" ] || { echo "failed: $failed"; exit 1; }

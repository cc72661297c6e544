# SPDX-License-Identifier: GPL-2.0-or-later
# Where tests put their files, for the scripts that run them: nobody needs these after a crash, so a
# disk, which is waited for at each unmount and fsync(2), has no part in it where memory has room.

# room MIB: prints the directory for that much: TMPDIR, if that is set; else /dev/shm, if half of
# what is free there and in memory is enough; else /tmp
room() {
	if [ -n "${TMPDIR:-}" ]; then
		echo "$TMPDIR"
	elif [ -w /dev/shm ] && [ "$(df -m --output=avail /dev/shm | tail -n 1)" -ge $((2 * $1)) ] &&
		[ "$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)" -ge $((2048 * $1)) ]; then
		echo /dev/shm
	else
		echo /tmp
	fi
}

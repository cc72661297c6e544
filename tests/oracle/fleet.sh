#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The recipes of docs/fleet.md, as they stand there: 20 volumes go to three machines, which are
# sshds on this one.  One machine dies in the middle of a copy and is back soon, another one stays
# away for a while.  A volume goes to an object store, which is a folder, and comes back.
. "$(dirname "$0")/../lib.sh"
requires root ssh /usr/sbin/sshd parallel mke2fs e2fsck split

# recipe NAME: the lines of that block
recipe() {
	sed -n "/^\`\`\`sh $1\$/,/^\`\`\`\$/{//!p}" "$SRCDIR/docs/fleet.md" > "recipe-$1"
	[ -s "recipe-$1" ] || fail "docs/fleet.md has no recipe $1"
}

# run STATUS NAME [ARGUMENTS...]: the recipe, as somebody would type it
run() {
	local status=0

	PATH=$WORK/here:$PATH bash "recipe-$2" > out 2> said < /dev/null || status=$?
	[ $status = "$1" ] || fail "recipe $2: exit $status, expected $1: $(cat out said)"
}
for name in copy-all copy-failed verify-all slurm-task to-store from-store; do
	recipe $name
done
[ "$(grep -c '^```sh ' "$SRCDIR/docs/fleet.md")" = 6 ] || fail "a recipe that is not run"

# ---- machines ----

# here/: ssh without the user's configuration; there/: e2bfo, with deaths of the machine
mkdir here there store
ln -s "$E2BFO" here/e2bfo
cat > here/ssh <<- END
	#!/bin/sh
	exec /usr/bin/ssh -F $WORK/keys/client "\$@"
END
cat > here/upload <<- END
	#!/bin/sh
	exec cat > $WORK/store/"\$1"
END
cat > here/download <<- END
	#!/bin/sh
	exec cat $WORK/store/"\$1"
END
# The machine of volume 7 dies when so much of it has come; that of volume 13, whenever it is asked
# for, until there is a file "up".
cat > there/e2bfo <<- END
	#!/bin/bash
	last=\${!#}
	case \$1-\$last in
	receive-*-07.img)
		[ ! -e $WORK/died-07 ] || exec "$E2BFO" "\$@"
		: > $WORK/died-07
		head -c 3000000 | "$E2BFO" receive --memory=1M "\${@:2}" > /dev/null 2>&1 ;;
	*-13.img)
		[ ! -e $WORK/up ] || exec "$E2BFO" "\$@"
		echo x >> $WORK/died-13
		[ \$1 = resume ] || head -c 3000000 |
			"$E2BFO" receive --memory=1M "\${@:2}" > /dev/null 2>&1 ;;
	*)	exec "$E2BFO" "\$@" ;;
	esac
	kill -KILL \$PPID
END
chmod +x here/* there/e2bfo
hosts=(one two three)
for host in "${hosts[@]}"; do
	exec 5< <("$SRCDIR/tests/sshd" "$WORK/keys" $host "$WORK/there")
	echo $! >> .state/processes
	read -r port <&5
	[ -n "$port" ] || fail "no sshd"
done

for i in $(seq -w 20); do
	mkdir tree-$i
	head -c $((4000000 + 1$i * 1000)) /dev/urandom > tree-$i/large
	echo "volume $i" > tree-$i/small
	volume vol-$i.img 12M -d tree-$i
	truncate -s 16M new-$i.img
	echo "$WORK/vol-$i.img ${hosts[1$i % 3]} $WORK/new-$i.img"
done > fleet.txt
cp fleet.txt all.txt

# all_there VOLUME...
all_there() {
	for i; do
		checked new-$i.img
		e2bfo 0 verify vol-$i.img new-$i.img
	done
}

# ---- parallel ----

run 1 copy-all
says 'it goes on where it came to'
[ -e died-07 ] && [ "$(wc -l < died-13)" -ge 2 ] || fail "nobody died"
[ "$(awk 'NR > 1 && $7 == 8' fleet.log | wc -l)" = 1 ] || fail "$(cat fleet.log)"
e2bfo 0 resume -n --json new-13.img
: > up
run 0 copy-failed
all_there $(seq -w 20)
run 0 verify-all
debug new-03.img 'rm /small' 'write recipe-copy-all /small'
run 1 verify-all

# ---- Slurm: one task, by hand ----

truncate -s 0 new-03.img
truncate -s 16M new-03.img
SLURM_ARRAY_TASK_ID=3 run 0 slurm-task
all_there 03

# ---- an object store: many parts, that come in any order ----

cp vol-05.img disk.img
sed -i 's/--bytes 64M/--bytes 200K/' recipe-to-store
run 0 to-store
[ "$(ls store | wc -l)" -gt 5 ] || fail "there are no parts: $(ls store)"
sort -R disk.parts > parts
mv parts disk.parts
run 0 from-store
checked new.img
e2bfo 0 verify disk.img new.img
part=$(sort disk.parts | sed -n '$p')
rm new.img
mv "store/$part" part
run 8 from-store
[ ! -e new.img ] || fail "a part is missing, and it has its name"
cp part "store/$part"
printf x | dd of="store/$part" bs=1 seek=3000 conv=notrunc status=none
run 8 from-store
[ ! -e new.img ] || fail "a part is damaged, and it has its name"
mv part "store/$part"
run 0 from-store
checked new.img
e2bfo 0 verify disk.img new.img

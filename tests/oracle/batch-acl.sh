#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo batch: modes and access control lists follow each other, and what is new takes over from its
# directory what the kernel has it take: default lists, group, flags.  The same operations on a
# mounted twin are the judge.  put -r and --tar take nothing over.
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs e2fsck mount setfacl getfacl setfattr chattr python3 tar

ignored=mtime,atime,ctime,crtime,generation,version,holes

# ---- a twin ----

volume start.img 16M
mounted start.img mnt rw,noatime
mkdir mnt/{full,plain,less,group,none,small}
for file in a b c d e f; do
	echo "$file" > mnt/$file
done
setfacl -m u:1000:rwx,g:5:r-x mnt/a mnt/b mnt/c
setfacl -m m::rx mnt/d
chmod 2755 mnt/c
setfacl -d -m u:1000:rwx,g::r-x,g:7:rw-,o::r-x mnt/full
setfacl -d -m u::rw-,g::r--,o::--- mnt/plain
setfacl -d -m u::rwx,u:8:r--,g::---,m::r--,o::--- mnt/less
chmod 2775 mnt/group
chgrp 77 mnt/group
chattr +dASD mnt/group
setfattr -n user.x -v y mnt/none
unmounted mnt
checked start.img

# acl WORDS...: a list as setxattr(2) takes it, in base64, of "tag may [id]" each
acl() {
	python3 - "$@" << 'END'
import base64, struct, sys
tags = {"u": 1, "user": 2, "g": 4, "group": 8, "m": 16, "o": 32}
out = struct.pack("<I", 2)
for word in sys.argv[1:]:
    tag, may, *number = word.split(":")
    out += struct.pack("<HHI", tags[tag], int(may), int(number[0]) if number else 0xffffffff)
print(base64.b64encode(out).decode())
END
}

minimal=$(acl u:6 g:4 o:0)
named=$(acl u:7 user:5:1000 g:5 group:7:9 m:4 o:1)
masked=$(acl u:6 g:6 m:2 o:4)

# What both do: "create FILE MODE", "mkdir", "fifo", "link", "chmod", "acl NAME VALUE", "rmacl"
cat > operations << END
create none/early 0666
chmod a 0604
chmod b 0070
chmod c 2711
chmod d 0777
chmod e 0640
chmod full 0700
acl a posix_acl_access $minimal
acl b posix_acl_access $named
acl d posix_acl_access $masked
acl e posix_acl_access $named
chmod e 0421
acl f posix_acl_access $minimal
acl none posix_acl_default $named
rmacl c posix_acl_access
rmacl less posix_acl_default
END
for dir in full plain group none full/dir plain/dir group/dir none/dir; do
	printf '%s\n' "mkdir $dir/dir 0777" "mkdir $dir/other 0750" "create $dir/x 0666" \
		"create $dir/y 0640" "create $dir/z 4755" "fifo $dir/fifo 0622" "link $dir/link 0"
done >> operations

kernel_does() {
	python3 - "$1" << 'END'
import base64, os, sys
os.umask(0)
os.chdir(sys.argv[1])
for line in open("../operations"):
    op, path, *rest = line.split()
    if op == "chmod":
        os.chmod(path, int(rest[0], 8))
    elif op == "acl":
        os.setxattr(path, "system." + rest[0], base64.b64decode(rest[1]))
    elif op == "rmacl":
        os.removexattr(path, "system." + rest[0])
    elif op == "mkdir":
        os.mkdir(path, int(rest[0], 8))
    elif op == "fifo":
        os.mkfifo(path, int(rest[0], 8))
    elif op == "link":
        os.symlink("target", path)
    else:
        fd = os.open(path, os.O_CREAT | os.O_WRONLY, int(rest[0], 8))
        os.write(fd, b"text")
        os.close(fd)
END
}

to_script() {
	python3 - << 'END'
import json
for line in open("operations"):
    op, path, *rest = line.split()
    path = "/" + path
    print(json.dumps({
        "chmod": lambda: {"op": "chmod", "mode": rest[0], "path": path},
        "acl": lambda: {"op": "setxattr", "path": path, "name": "system." + rest[0],
                        "value_bytes": rest[1]},
        "rmacl": lambda: {"op": "rmxattr", "path": path, "name": "system." + rest[0]},
        "mkdir": lambda: {"op": "mkdir", "path": path, "mode": rest[0]},
        "fifo": lambda: {"op": "mknod", "path": path, "type": "p", "mode": rest[0]},
        "link": lambda: {"op": "ln", "symbolic": True, "target": "target", "path": path},
        "create": lambda: {"op": "put", "path": path, "mode": rest[0], "data": "text"},
    }[op]()))
END
}

cp start.img twin.img
mounted twin.img mnt rw,noatime
kernel_does mnt
getfacl -R -n -p mnt > twin.acls 2> /dev/null
(cd mnt && lsattr -R . 2> /dev/null | sort) > twin.flags
unmounted mnt
to_script > script
for every in '' '--commit-every=1'; do
	cp start.img image.img
	e2bfo 0 batch $every image.img script
	checked image.img
	mounted image.img mnt
	getfacl -R -n -p mnt > acls 2> /dev/null
	(cd mnt && lsattr -R . 2> /dev/null | sort) > flags
	unmounted mnt
	same twin.acls acls
	same twin.flags flags
	e2bfo 0 verify --ignore $ignored twin.img image.img
done
grep -q '^user:1000:rwx' acls && grep -q '^default:group:7:rw-' acls || fail "no lists: $(cat acls)"

# ---- what the kernel refuses ----

for line in "\"path\": \"/a\", \"name\": \"system.posix_acl_default\", \"value_bytes\": \"$named\"" \
	"\"path\": \"/a\", \"name\": \"system.posix_acl_access\", \"value_bytes\": \"$(acl u:7 o:1)\"" \
	"\"path\": \"/a\", \"name\": \"system.posix_acl_access\", \"value\": \"text\""; do
	echo "{\"op\": \"setxattr\", $line}" > script
	e2bfo 8 batch image.img script
	says 'No such name, path or value can be while .*/a: system.posix_acl_'
done

# ---- directories on the way, and what is made by append; trees and archives bring their own ----

mkdir -p tree/sub
echo text > tree/file
cp start.img image.img
printf '%s\n' 'put -p tree/file /full/on/way/file' 'append -c tree/file /full/appended' \
	'put -r tree /full/tree' 'put -r tree /group/tree' > script
e2bfo 0 batch image.img script
checked image.img
mounted image.img mnt
for path in full/on full/on/way full/on/way/file full/appended; do
	getfacl -n -p -c mnt/$path | grep -q '^user:1000:rwx' || fail "$path has no list"
done
[ "$(getfacl -R -n -p -s mnt/full/tree)" = '' ] || fail "put -r takes a list over"
[ "$(stat -c '%a %g' mnt/group/tree mnt/group/tree/sub mnt/group/tree/file | sort -u)" = \
	$'644 0\n755 0' ] || fail "put -r takes a group over"
unmounted mnt
cp start.img image.img
tar --transform 's,^tree,full/tar,' -cf tree.tar tree
e2bfo 0 batch --tar tree.tar image.img
checked image.img
mounted image.img mnt
[ "$(getfacl -R -n -p -s mnt/full/tar)" = '' ] || fail "--tar takes a list over"
unmounted mnt

# ---- lists so long that they stand in inodes of their own ----

long=$(acl u:7 $(seq -f 'user:6:%.0f' 1000 1200) g:5 m:7 o:5)
volume image.img 16M -b 1024 -O ea_inode
printf '%s\n' 'mkdir /dir' '{"op": "put", "path": "/file", "data": "text"}' \
	"{\"op\": \"setxattr\", \"path\": \"/file\", \"name\": \"system.posix_acl_access\", \"value_bytes\": \"$long\"}" \
	"{\"op\": \"setxattr\", \"path\": \"/dir\", \"name\": \"system.posix_acl_default\", \"value_bytes\": \"$long\"}" \
	commit 'chmod 0640 /file' 'put -m 0604 tree/file /dir/file' 'mkdir -m 0770 /dir/sub' > script
e2bfo 0 batch image.img script
checked image.img
mounted image.img mnt
for want in '/file 640 mask::r--' '/dir/file 604 mask::---' '/dir/sub 770 mask::rwx' \
	'/dir/sub 770 default:mask::rwx'; do
	read -r path mode mask <<< "$want"
	[ "$(stat -c %a "mnt$path")" = "$mode" ] || fail "$path has not mode $mode"
	getfacl -n -p -c -E "mnt$path" > acls
	grep -qx "$mask" acls && [ "$(grep -c '^user:1[01]..:rw-' acls)" = 200 ] || fail "$path: $(cat acls)"
done
unmounted mnt

# ---- projects, which this kernel does not mount ----

volume image.img 16M -O project,quota -E quotatype=prjquota
printf '%s\n' 'mkdir /project' 'set -P 42 -F 536870912 /project' 'mkdir /project/sub' \
	'put tree/file /project/sub/file' > script
e2bfo 0 batch image.img script
checked image.img
for path in /project/sub /project/sub/file; do
	ask image.img "stat $path" | grep -q 'Project: *42 ' || fail "$path is of no project"
done

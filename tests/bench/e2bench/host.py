# SPDX-License-Identifier: GPL-2.0-or-later
"""Host: loop devices, mounts and caches, each taken in a `with` and given back however it ends.

Measures nothing. Only devices attached here are ever detached, by name; stale ones of an earlier
run that was killed are recognised by their backing file in our own, locked, directory.

A loop device refuses discards here (discard_max_bytes 0): mke2fs would punch the image file full
of holes, and the next writer would pay for their allocation in the filesystem below. It passes the
page cache of the filesystem below by, if that can be done: as on a disk, what a program reads or
writes through the page cache is in memory once then, not once more in its image file's cache.
"""

import contextlib
import fcntl
import mmap
import multiprocessing
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

MIB = 1 << 20


class Failure(Exception):
    """A command of the harness itself (not a tool under test) failed."""


class TimeOut(Failure):
    """A command took longer than it was given."""


def sh(*argv, **kwargs):
    """Runs a command, returns its standard output; Failure with its words if it fails."""
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True,
                          errors="replace", **kwargs)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, argv))}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def status_of(*argv, **kwargs):
    """Exit status of a command, its output thrown away."""
    return subprocess.run([str(a) for a in argv], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False, **kwargs).returncode


def installed(program):
    path = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"
    return shutil.which(program, path=path)


def stop_on_signals():
    """Makes SIGTERM and SIGHUP unwind the stack as SIGINT does: everything is given back."""
    def stop(number, _frame):
        raise SystemExit(128 + number)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)


@contextlib.contextmanager
def locked(directory):
    """One benchmark at a time per directory."""
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "lock", "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Failure(f"{directory} is in use by another benchmark") from None
        detach_stale(directory)
        yield


def detach_stale(directory):
    for line in sh("losetup", "-l", "-n", "-O", "NAME,BACK-FILE").splitlines():
        name, _, backing = line.partition(" ")
        if backing.strip().startswith(f"{directory}/"):
            status_of("umount", name)
            sh("losetup", "-d", name)


@contextlib.contextmanager
def loop(image, size=0):
    """Attaches IMAGE, or its first SIZE bytes, to a free loop device; yields the device's path."""
    limit = ("--sizelimit", size) if size else ()
    device = sh("losetup", "-f", "--show", *limit, image).strip()
    try:
        attribute(device, "queue/discard_max_bytes").write_text("0", encoding="ascii")
        pass_cache_by(device)
        say_that_it_seeks(device)
        yield device
    finally:
        sh("losetup", "-d", device)


def attribute(device, name):
    return Path("/sys/block", Path(device).name, name)


def pass_cache_by(device, wanted=True):
    """Not all filesystems can; then their page cache it is."""
    status_of("losetup", "--direct-io=" + ("on" if wanted else "off"), device)


def say_that_it_seeks(device, seeks=True):
    """What the device says of itself to programs that go by it: a disk, or without moving parts."""
    attribute(device, "queue/rotational").write_text(str(int(seeks)), encoding="ascii")


def passes_cache_by(device):
    return attribute(device, "loop/dio").read_text(encoding="ascii").strip() == "1"


@contextlib.contextmanager
def mounted(device, directory, options="noatime"):
    sh("mount", "-o", options, device, directory)
    try:
        yield directory
    finally:
        sh("umount", directory)


def watched(argv, output, timeout):
    """Runs a command, in a process group of its own that is killed if it takes more than TIMEOUT
    seconds or if we end; what it says goes to the file OUTPUT. Its exit status, or TimeOut."""
    with open(output, "w", encoding="utf-8") as words:
        child = subprocess.Popen([str(word) for word in argv], stdin=subprocess.DEVNULL,
                                 stdout=words, stderr=words, start_new_session=True)
        try:
            return child.wait(timeout=timeout)
        except BaseException as error:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise TimeOut(f"stopped after {timeout:g} s") from None
            raise


def unmount_if_mounted(*directories):
    """After a tool was stopped half way through its mounts."""
    for directory in directories:
        while os.path.ismount(directory) and not status_of("umount", directory):
            pass


def release(*devices):
    """After a tool was killed: unmounts whatever it had mounted, anywhere; waits for the rest."""
    for device in devices:
        for _ in range(200):
            for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
                if line.split()[0] == device:
                    status_of("umount", device)
            try:
                os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
                break
            except OSError:
                time.sleep(0.05)
        else:
            raise Failure(f"{device} stays in use")


def device_number(device):
    """(major, minor)"""
    number = os.stat(device).st_rdev
    return os.major(number), os.minor(number)


def sync_mount(directory):
    """What waits for the filesystem of DIRECTORY is written; others are left alone, as they may be
    somebody else's, who writes much."""
    sh("sync", "-f", directory)


def write_back(device):
    """What waits for a loop device is written, whoever has it mounted, and for its file."""
    sh("blockdev", "--flushbufs", device)
    sh("sync", backing_file(device))


def backing_file(device):
    return attribute(device, "loop/backing_file").read_text(encoding="utf-8").rstrip("\n")


def make_cold(*devices):
    """Nothing of the devices, nor of the files under them, is left in memory."""
    for device in devices:
        write_back(device)
    Path("/proc/sys/vm/drop_caches").write_text("3", encoding="ascii")
    for device in devices:
        sh("blockdev", "--flushbufs", device)


def make_warm(image, size):
    """The image file's pages are in memory: the device reads at the speed of a memory copy."""
    with open(image, "rb", buffering=0) as f:
        left = size
        while left > 0:
            n = len(f.read(min(left, 4 * MIB)))
            if not n:
                break
            left -= n


def reserve(path, size, keep=False):
    """A file of SIZE with its blocks allocated, so that its layout below is as good as it gets.
    It is empty, or keeps what it has. Failure, with nothing filled up, if there is no room."""
    with open(path, "ab" if keep else "wb") as f:
        below = os.fstatvfs(f.fileno())
        lacking = size - os.fstat(f.fileno()).st_blocks * 512 - below.f_bavail * below.f_frsize
        if lacking > 0:
            raise Failure(f"{path}: {lacking // MIB + 1} MiB more than are free there are needed")
        os.posix_fallocate(f.fileno(), 0, size)


def fill(path, size, seed=1):
    """Writes SIZE bytes that no layer below can compress or leave out, and syncs them."""
    import random
    pattern = random.Random(seed).randbytes(16 * MIB)
    with open(path, "r+b") as f:
        for offset in range(0, size, len(pattern)):
            f.write(pattern[:min(len(pattern), size - offset)])
        f.flush()
        os.fsync(f.fileno())


@contextlib.contextmanager
def less_memory(left):
    """Holds all memory but LEFT bytes, each page touched; nothing if that is 0.

    On a virtual machine, memory that nobody has used for a while has first to be had from the host,
    at a tenth of the speed of memory, and dropping caches gives it all back. With little of it to
    go round, every tool gets pages that were in use a moment ago.
    """
    room = available_memory() - left
    if not left or room < MIB:
        yield
        return
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    child = context.Process(target=hold, args=(room, ready, os.getpid()), daemon=True)
    child.start()
    try:
        while child.is_alive() and not ready.wait(1):
            pass
        yield
    finally:
        child.kill()
        child.join()


def default_memory():
    """The batch buffer e2bfo takes unasked: a quarter of the memory, at most 1 GiB."""
    return min(1 << 30, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4)


def available_memory():
    """Bytes."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def hold(size, ready, parent):
    """Until it is killed, or PARENT was."""
    with mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE):
        ready.set()
        while os.getppid() == parent:
            time.sleep(1)


@contextlib.contextmanager
def in_memory():
    """A directory that is in memory, if the machine has such a place, and removed again."""
    place = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="e2bfo-bench.", dir=place) as directory:
        yield directory


def apart(function, *arguments):
    """Runs a function in a process of its own: what it does to itself (CPUs) and its memory end."""
    child = multiprocessing.get_context("fork").Process(target=function, args=arguments)
    child.start()
    try:
        child.join()
    finally:
        if child.is_alive():
            child.kill()
            child.join()
    if child.exitcode:
        raise Failure(f"{function.__name__}: exit {child.exitcode}")

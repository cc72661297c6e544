# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers: an sshd and a GridFTP server of our own on loopback, with keys that are made for them.

Measures nothing. Both are given back however a `with` ends.
"""

import contextlib
import os
import socket
import subprocess
import time
from pathlib import Path

from e2bench import host

from .links import LINKS

SSHD = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {work}/host_key
AuthorizedKeysFile {work}/user_key.pub
PermitRootLogin yes
PasswordAuthentication no
StrictModes no
UsePAM no
PidFile none
PrintMotd no
LogLevel ERROR
Subsystem sftp internal-sftp
"""
SSH = """\
Host *
HostName 127.0.0.1
HostKeyAlias here
Port {port}
User root
IdentityFile {work}/user_key
IdentitiesOnly yes
UserKnownHostsFile {work}/known_hosts
GlobalKnownHostsFile /dev/null
BatchMode yes
LogLevel ERROR
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def serving(port, *argv):
    """A server that runs in the foreground."""
    child = subprocess.Popen([str(word) for word in argv], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if answers(port):
                break
            if child.poll() is not None:
                raise host.Failure(f"{argv[0]}: exit {child.returncode}")
            time.sleep(0.1)
        else:
            raise host.Failure(f"{argv[0]} does not answer")
        yield
    finally:
        child.terminate()
        child.wait()


def make_key(path):
    if not path.exists():
        host.sh("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path)


@contextlib.contextmanager
def ssh(work, relay):
    """The configuration of a client; its hosts are called as links are, and behind them."""
    port, sshd = free_port(), host.installed("sshd")
    if not sshd:
        raise host.Failure("sshd is not there (Debian: apt install openssh-server)")
    for name in ("host_key", "user_key"):
        make_key(Path(work, name))
    public = Path(work, "host_key.pub").read_text(encoding="ascii")
    Path(work, "known_hosts").write_text(f"here {public}", encoding="ascii")
    server, client = Path(work, "sshd_config"), Path(work, "ssh_config")
    server.write_text(SSHD.format(port=port, work=work), encoding="utf-8")
    client.write_text("".join(f"Host {link.name}\nProxyCommand {relay} {link.bits:.0f} "
                              f"{link.delay:g} {sshd} -i -f {server}\n"
                              for link in LINKS if link.bits)
                      + SSH.format(port=port, work=work), encoding="utf-8")
    os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    with serving(port, sshd, "-D", "-f", server):
        yield str(client)


@contextlib.contextmanager
def gridftp():
    """Its port; 0 if it is not installed."""
    server = host.installed("globus-gridftp-server")
    if not server:
        yield 0
        return
    port = free_port()
    here = ("-control-interface", "127.0.0.1", "-data-interface", "127.0.0.1", "-port", port)
    with serving(port, server, "-aa", "-anonymous-user", "root", "-allow-root", *here):
        yield port

# SPDX-License-Identifier: GPL-2.0-or-later
"""Links: what is between the sender and the receiver. Measures nothing.

    pipe     a pipe
    ssh      ssh(1) to a server on loopback, with the cipher that the two choose
    1g       1 Gb/s, no delay
    100m     100 Mb/s, a round trip of 40 ms

Those with a rate are shaped by relay.c: who writes to a pipe has it in the middle, who calls ssh
has it before the server. Who opens connections of his own cannot go through it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    name: str
    about: str
    bits: float = 0             # a second; 0: as fast as it gets
    delay: float = 0            # milliseconds, one way

    @property
    def bytes(self):
        return self.bits / 8


LINKS = (
    Link("pipe", "through a pipe"),
    Link("ssh", "over ssh on loopback"),
    Link("1g", "at 1 Gb/s", 1e9),
    Link("100m", "at 100 Mb/s, 40 ms round trip", 1e8, 20),
)
NAMES = tuple(link.name for link in LINKS)
BY_NAME = {link.name: link for link in LINKS}
SLOW = "100m"

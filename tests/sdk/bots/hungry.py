"""Bots that exhaust memory or the stack."""

from damrak import Bot, MatchInfo, View


class Memory(Bot):
    def choose(self, view: View) -> int:
        heap = []
        while True:
            heap.append(bytearray(8 << 20))


class AtStart(Bot):
    def start(self, match: MatchInfo) -> None:
        self.heap = bytearray(4 << 30)

    def choose(self, view: View) -> int:
        return view.legal[0]


class Crumbs(Bot):
    """Allocates many small objects: not even the report fits into memory."""

    def choose(self, view: View) -> int:
        crumbs: list[object] = []
        while True:
            crumbs.append([crumbs])


class Stack(Bot):
    def choose(self, view: View) -> int:
        return self.choose(view)

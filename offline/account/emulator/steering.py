"""What a test does to a running account: move its clock, change what is for sale, ask what was bought."""

from emulator import clock, launches
from emulator.loader import load_market
from emulator.world import Item, current


def move_clock(move: Item) -> Item:
    """Put the clock somewhere, or forward by some time. What ends on the way has ended."""
    clock.put(clock.parse(move["now"]) if move.get("now") else clock.now() + clock.span(move["advance"]))
    launches.settle()
    return {"now": clock.now().isoformat()}


def replace_market(market: Item) -> None:
    """These offerings, in place of all that were for sale. What was bought stays."""
    load_market(market)


def purchases() -> list[Item]:
    """Each movement of money, oldest first."""
    return [
        {**{k: v for k, v in sale.items() if k != "written"}, "at": sale["written"]["at"].isoformat()}
        for sale in current().purchases
    ]

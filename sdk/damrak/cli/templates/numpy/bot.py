"""A bot that plays with a small neural network, in numpy. `damrak play . greedy` plays it."""

from pathlib import Path

import numpy as np

from damrak import Action, Bot, MatchInfo, View
from damrak.env import LAYOUT, encoder_for

WEIGHTS = Path(__file__).with_name("policy.npz")


class NetworkBot(Bot):
    """Chooses the legal action with the highest output of the network.

    The network was trained for two players on the board `amsterdam`. In other games the bot claims
    the route worth most that it can pay for, and else draws a card.
    """

    def start(self, match: MatchInfo) -> None:
        self.encoder = encoder_for(match.rules)
        with np.load(WEIGHTS) as kept:
            if str(kept["layout"]) != str(LAYOUT):
                raise ValueError(f"{WEIGHTS.name} is for another layout: train it again")
            depth = sum(name.startswith("w") for name in kept.files)
            self.layers = [
                (kept[f"w{i}"].astype(np.float32), kept[f"b{i}"].astype(np.float32))
                for i in range(1, depth + 1)
            ]
        inputs, outputs = len(self.layers[0][0]), len(self.layers[-1][1])
        fits = (self.encoder.size, self.encoder.actions) == (inputs, outputs)
        self.is_trained = fits and match.board.id == "amsterdam"

    def choose(self, view: View) -> int | Action:
        if not self.is_trained:
            return without_network(view)
        logits = self.logits(self.encoder.encode(view.observation))
        return max(view.legal, key=lambda action: float(logits[action]))

    def logits(self, seen: np.ndarray) -> np.ndarray:
        """Return an output for every action."""
        *hidden, (weights, bias) = self.layers
        for inner, offset in hidden:
            seen = np.maximum(seen @ inner + offset, 0)
        logits: np.ndarray = seen @ weights + bias
        return logits


def without_network(view: View) -> int | Action:
    """Return a simple decision for games that the network was not trained for."""
    if view.affordable:
        return max(view.affordable, key=lambda claim: claim.points).payment
    return view.legal[0]

"""A bot that runs a neural network with PyTorch. `damrak play . greedy` plays it."""

from collections import OrderedDict
from pathlib import Path

import numpy as np

try:
    import torch
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "this bot needs torch: pip install torch --index-url https://download.pytorch.org/whl/cpu",
        name=missing.name,
    ) from missing

from damrak import Action, Bot, MatchInfo, View
from damrak.env import LAYOUT, encoder_for

FOLDER = Path(__file__).parent
STATE = FOLDER / "policy.pt"  # written by your training: torch.save(network.state_dict(), ...)
WEIGHTS = FOLDER / "policy.npz"  # used while there is no policy.pt

torch.set_num_threads(1)  # a bot on a ladder has one processor core


class TorchBot(Bot):
    """Chooses the legal action with the highest output of the network.

    The network was trained for two players on the board `amsterdam`. In other games the bot claims
    the route worth most that it can pay for, and else draws a card.
    """

    def start(self, match: MatchInfo) -> None:
        self.encoder = encoder_for(match.rules)
        state = load_state()
        inputs, outputs = state["0.weight"].shape[1], state["2.weight"].shape[0]
        fits = (self.encoder.size, self.encoder.actions) == (inputs, outputs)
        self.is_trained = fits and match.board.id == "amsterdam"
        self.network = network(inputs, len(state["0.weight"]), outputs)
        self.network.load_state_dict(state)
        self.network.eval()

    def choose(self, view: View) -> int | Action:
        if not self.is_trained:
            return without_network(view)
        with torch.inference_mode():
            seen = torch.from_numpy(self.encoder.encode(view.observation))
            logits = self.network(seen).tolist()
        return max(view.legal, key=lambda action: float(logits[action]))


def network(inputs: int, hidden: int, outputs: int) -> torch.nn.Module:
    """Return a network without trained weights; train this one, or change it."""
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, outputs)
    )


def load_state() -> OrderedDict[str, torch.Tensor]:
    """Return the weights of `policy.pt`, or else those of `policy.npz`."""
    if STATE.exists():
        return OrderedDict(torch.load(STATE, map_location="cpu", weights_only=True))
    with np.load(WEIGHTS) as kept:
        if str(kept["layout"]) != str(LAYOUT):
            raise ValueError(f"{WEIGHTS.name} is for another layout: train it again")
        w1, b1, w2, b2 = (kept[name].astype(np.float32) for name in ("w1", "b1", "w2", "b2"))
    arrays = {"0.weight": w1.T, "0.bias": b1, "2.weight": w2.T, "2.bias": b2}
    return OrderedDict(
        (name, torch.from_numpy(np.ascontiguousarray(array))) for name, array in arrays.items()
    )


def without_network(view: View) -> int | Action:
    """Return a simple decision for games that the network was not trained for."""
    if view.affordable:
        return max(view.affordable, key=lambda claim: claim.points).payment
    return view.legal[0]

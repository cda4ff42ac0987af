"""A bot that runs a neural network with onnxruntime. `damrak play . greedy` plays it."""

from pathlib import Path

import numpy as np

try:
    import onnxruntime
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "this bot needs onnxruntime: pip install onnxruntime", name=missing.name
    ) from missing

from damrak import Action, Bot, MatchInfo, View
from damrak.env import LAYOUT, encoder_for

MODEL = Path(__file__).with_name("policy.onnx")


class OnnxBot(Bot):
    """Chooses the legal action with the highest output of the network.

    The network was trained for two players on the board `amsterdam`. In other games the bot claims
    the route worth most that it can pay for, and else draws a card.
    """

    def start(self, match: MatchInfo) -> None:
        self.encoder = encoder_for(match.rules)
        self.session = session(MODEL)
        layout = self.session.get_modelmeta().custom_metadata_map.get("layout")
        if layout != str(LAYOUT):
            raise ValueError(f"{MODEL.name} is for another layout: train and export it again")
        inputs = self.session.get_inputs()[0].shape[1]
        outputs = self.session.get_outputs()[0].shape[1]
        fits = (self.encoder.size, self.encoder.actions) == (inputs, outputs)
        self.is_trained = fits and match.board.id == "amsterdam"

    def choose(self, view: View) -> int | Action:
        if not self.is_trained:
            return without_network(view)
        seen = self.encoder.encode(view.observation)[np.newaxis]
        logits = self.session.run(["logits"], {"observation": seen})[0][0]
        return max(view.legal, key=lambda action: float(logits[action]))


def session(model: Path) -> onnxruntime.InferenceSession:
    """Return a session with one thread: a bot on a ladder has one processor core."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def without_network(view: View) -> int | Action:
    """Return a simple decision for games that the network was not trained for."""
    if view.affordable:
        return max(view.affordable, key=lambda claim: claim.points).payment
    return view.legal[0]

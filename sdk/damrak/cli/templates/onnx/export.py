"""Write policy.onnx from the weights of a network with one hidden layer.

python export.py policy.npz

Needs the package `onnx` (pip install onnx), which the bot itself does not need. From PyTorch,
`torch.onnx.export(network, ...)` writes such a file; name the input `observation` and the output
`logits`, and add `layout` to the metadata as below.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TARGET = Path(__file__).with_name("policy.onnx")
OPSET = 17
IR_VERSION = 9  # old enough for all onnxruntime releases since 1.15


def model(weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    """Return the network; weights stay in 16 bits in the file and become 32 on loading."""
    inputs, outputs = len(weights["w1"]), len(weights["b2"])
    names = ("w1", "b1", "w2", "b2")
    nodes = [
        helper.make_node("Cast", [f"{name}_16"], [name], to=TensorProto.FLOAT) for name in names
    ]
    nodes += [
        helper.make_node("Gemm", ["observation", "w1", "b1"], ["sums"]),
        helper.make_node("Relu", ["sums"], ["hidden"]),
        helper.make_node("Gemm", ["hidden", "w2", "b2"], ["logits"]),
    ]
    observation = helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["n", inputs])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", outputs])
    kept = [
        numpy_helper.from_array(weights[name].astype(np.float16), f"{name}_16") for name in names
    ]
    graph = helper.make_graph(nodes, "policy", [observation], [logits], kept)
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
    )
    helper.set_model_props(made, {"layout": str(weights["layout"])})
    onnx.checker.check_model(made)
    return made


def main() -> None:
    with np.load(sys.argv[1]) as kept:
        onnx.save(model(dict(kept)), TARGET)


if __name__ == "__main__":
    main()

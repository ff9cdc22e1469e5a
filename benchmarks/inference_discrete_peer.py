"""The part of benchmarks/inference_discrete.py that runs with pyAgrum.

    python inference_discrete_peer.py FOLDER REPEATS

Reads net.bif and given.json in the folder and prints the marginals and the least CPU seconds as JSON.
"""

import json
import sys
import time
from pathlib import Path

import pyagrum as gum


def main(folder, repeats):
    net = gum.loadBN(str(Path(folder, "net.bif")))
    given = json.loads(Path(folder, "given.json").read_text())
    engine = gum.LazyPropagation(net)
    engine.setNumberOfThreads(1)
    asked = [name for name in net.names() if name not in given]
    engine.makeInference()
    least = float("inf")
    for _ in range(repeats):
        engine.eraseAllEvidence()
        began = time.process_time()
        engine.setEvidence(given)
        engine.makeInference()
        found = {name: engine.posterior(name).toarray().tolist() for name in asked}
        least = min(least, time.process_time() - began)
    print(json.dumps({"asking": least, "marginals": found}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

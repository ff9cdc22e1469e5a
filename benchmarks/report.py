"""Reports: seconds to write, bytes, first paint, and milliseconds from evidence to the painted beliefs.

A headless chromium paints as soon as it can (no frame rate limit). For each network, evidence is set on
random variables, four at most at a time; the time runs from the event until the frame after it is painted.
Processor times are those of the page's thread, and count what a busy machine does not change.

    .venv/bin/python benchmarks/report.py [names ...] [--updates 60] [--seed 1]
"""

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

import arcwise as aw

NETWORKS = (
    Path(os.environ.get("ARCWISE_DATA", Path(__file__).parents[2] / "shared/data")) / "networks"
)
FLAGS = ("--no-sandbox", "--disable-frame-rate-limit", "--disable-gpu-vsync")

SET = """async ([which, part]) => {
  const cards = [...document.querySelectorAll('.cards .card')];
  const card = cards[which % cards.length];
  const levels = card.querySelectorAll('button.level');
  const slider = card.querySelector('input[type=range]');
  if (slider) slider.value = Number(slider.min) + (0.3 + 0.4 * part) * (slider.max - slider.min);
  const start = performance.now();
  if (slider) slider.dispatchEvent(new Event('input'));
  else levels[Math.floor(part * levels.length)].click();
  await new Promise(done => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  }));
  return performance.now() - start;
}"""

CLEAR = "document.querySelectorAll('.chip').forEach(chip => chip.click())"


def numbers(columns: int, seed: int) -> aw.Network:
    """A learned linear network of many numbers, each with up to two parents."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(800, columns))
    for j in range(1, columns):
        for k in rng.choice(j, min(j, int(rng.integers(0, 3))), replace=False):
            x[:, j] += rng.choice([-0.7, 0.7]) * x[:, k]
    data = {f"x{j}": x[:, j] for j in range(columns)}
    return aw.learn(data, model="gaussian", certainty=False, search="greedy")


CASES = {
    "boston": lambda seed: aw.learn(aw.example("boston"), model="gaussian", seed=seed),
    "boston-auto": lambda seed: aw.learn(aw.example("boston"), seed=seed),
    "alarm": lambda seed: aw.example("alarm"),
    "gaussian-200": lambda seed: numbers(200, seed),
    "andes": lambda seed: aw.load(next(NETWORKS.glob("**/andes.*"))),
    "gaussian-1000": lambda seed: numbers(1000, seed),
}


def main() -> None:
    """Print one line for each network."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=list(CASES))
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("network             written         opened, ms      update, ms: wall    processor")
    print("                   s      MB     paint  processor    median    95 %    median    95 %")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as run:
        browser = run.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
        for name in options.names:
            net = CASES[name](options.seed)
            start = time.process_time()
            path = net.report(Path(folder) / f"{name}.html")
            wrote = time.process_time() - start
            print(f"{name:16s} {wrote:7.2f} {path.stat().st_size / 1e6:7.2f}", end=" ", flush=True)
            print(watch(browser, path, options.updates, options.seed), flush=True)
        browser.close()


def watch(browser, path: Path, updates: int, seed: int) -> str:
    """Open a report, and time its paints."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
    page.wait_for_timeout(500)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    opened = busy(tools)
    rng, walls, works = np.random.default_rng(seed), [], []
    for k in range(updates):
        before = busy(tools)
        walls.append(page.evaluate(SET, [int(rng.integers(10_000)), float(rng.random())]))
        works.append(busy(tools) - before)
        page.wait_for_timeout(200 if k % 4 == 3 else 0)
        if k % 4 == 3:
            page.evaluate(CLEAR)
            page.wait_for_timeout(200)
    page.close()
    wall, work = np.quantile(walls, [0.5, 0.95]), np.quantile(works, [0.5, 0.95])
    return (
        f"{paint:9.0f} {opened:10.0f} {wall[0]:10.1f} {wall[1]:6.1f} {work[0]:10.1f} {work[1]:6.1f}"
    )


def busy(tools) -> float:
    """Milliseconds of processor time of the page so far."""
    found = {
        each["name"]: each["value"] for each in tools.send("Performance.getMetrics")["metrics"]
    }
    return 1000 * found["TaskDuration"]


if __name__ == "__main__":
    main()

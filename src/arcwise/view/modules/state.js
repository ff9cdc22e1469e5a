// What the reader has set, and what follows from it. Listeners are called at most once in a frame.

import { tablesEngine } from "./tables.js";
import { regressionsEngine } from "./regressions.js";
import { mixtureEngine } from "./mixture.js";
import { drawsEngine } from "./draws.js";

const ENGINES = { tables: tablesEngine, regressions: regressionsEngine, mixture: mixtureEngine, draws: drawsEngine };

export function makeState(page) {
  const engine = ENGINES[page.answers.kind](page.answers, page.variables);
  const evidence = new Map();
  const listeners = new Set();
  let waiting = false;
  const prior = engine.answer(evidence);
  const state = { page, evidence, prior, beliefs: prior, possible: true, selected: null, focus: "blanket", hidden: new Set() };

  // Levels are set by their numbers, continuous variables by their values; null clears.
  state.set = (variable, value) => {
    if (value === null) evidence.delete(variable);
    else evidence.set(variable, value);
    schedule();
  };
  state.clear = () => {
    evidence.clear();
    schedule();
  };
  state.select = (variable) => {
    state.selected = variable;
    schedule();
  };
  // What the graph stresses about the selected variable: its "blanket", or what is "connected" with it.
  state.stress = (focus) => {
    state.focus = focus;
    schedule();
  };
  state.hide = (edges) => {
    state.hidden = edges;
    schedule();
  };
  state.listen = (listener) => {
    listeners.add(listener);
    listener(state);
  };

  function schedule() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(refresh);
  }

  function refresh() {
    waiting = false;
    const found = engine.answer(new Map([...evidence].map(([variable, value]) => [variable, weighted(variable, value)])));
    state.possible = found !== null;
    state.beliefs = found;
    for (const listener of listeners) listener(state);
  }

  function weighted(variable, value) {
    const { levels } = page.variables[variable];
    return levels ? levels.map((_, level) => (level === value ? 1 : 0)) : value;
  }

  return state;
}

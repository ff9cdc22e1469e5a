// What the reader has set, and what follows from it. Listeners are called at most once in a frame.

import { tablesEngine } from "./tables.js";
import { regressionsEngine } from "./regressions.js";
import { mixtureEngine } from "./mixture.js";
import { drawsEngine } from "./draws.js";

const ENGINES = { tables: tablesEngine, regressions: regressionsEngine, mixture: mixtureEngine, draws: drawsEngine };

const PAUSE = 120; // milliseconds

export function makeState(page) {
  const engine = ENGINES[page.answers.kind](page.answers, page.variables);
  const evidence = new Map();
  const forced = new Set(); // variables that are set by intervention
  const listeners = new Set();
  const late = new Set();
  let timer = 0;
  let waiting = false;
  const prior = engine.answer(evidence);
  const state = { page, evidence, forced, prior, beliefs: prior, possible: true, ranges: null, selected: null, focus: "blanket", target: null, hidden: new Set(), further: [] };
  state.canForce = page.directed && page.answers.kind !== "draws";
  state.canExplain = Boolean(engine.explain);

  // Levels are set by their numbers, continuous variables by their values; null clears.
  state.set = (variable, value) => {
    if (value === null) {
      evidence.delete(variable);
      forced.delete(variable);
    } else evidence.set(variable, value);
    schedule();
  };
  // Whether a variable with evidence was set by intervention, or observed.
  state.force = (variable, isForced) => {
    if (isForced) forced.add(variable);
    else forced.delete(variable);
    schedule();
  };
  state.clear = () => {
    evidence.clear();
    forced.clear();
    schedule();
  };
  state.select = (variable) => {
    if (state.focus === "trail") state.focus = "blanket";
    state.selected = variable;
    schedule();
  };
  // What the graph stresses about the selected variable: its "blanket", what is "connected" with it, or the "trail" to
  // the target.
  state.stress = (focus, target = null) => {
    state.focus = focus;
    state.target = target;
    schedule();
  };
  // Edges that are not shown, and further pairs that are.
  state.hide = (edges, further = []) => {
    state.hidden = edges;
    state.further = further;
    schedule();
  };
  state.listen = (listener) => {
    listeners.add(listener);
    listener(state);
  };

  // Listeners that are called when the reader pauses, for what takes longer than a frame.
  state.listenLate = (listener) => {
    late.add(listener);
    listener(state);
    return () => late.delete(listener);
  };

  // The most probable values of all variables together, given the evidence.
  state.explain = () => engine.explain(current(), forced);
  // What would tell most about a variable: a share for each other one.
  state.reductions = (target) => engine.reductions(current(), forced, target);
  // What is believed about one variable if another one alone were seen.
  state.conditional = (node, other, value) => {
    const found = engine.answer(new Map([[other, weighted(other, value)]]), undefined, node);
    return found && found[node];
  };
  // Beliefs for each set of parents that the forced variable may have in equivalent graphs, its own one first.
  state.alternatives = () => {
    const [variable] = forced;
    const sets = page.variables[variable].parent_sets;
    if (forced.size !== 1 || !engine.alternative || sets.length < 2 || !state.beliefs) return null;
    const others = sets.slice(1).map((parents) => engine.alternative(current(), variable, parents));
    return [state.beliefs, ...others.filter((found) => found !== null)];
  };

  function current() {
    return new Map([...evidence].map(([variable, value]) => [variable, weighted(variable, value)]));
  }

  function schedule() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(refresh);
  }

  function refresh() {
    waiting = false;
    const found = engine.answer(current(), forced);
    state.possible = found !== null;
    state.beliefs = found;
    for (const listener of listeners) listener(state);
    clearTimeout(timer);
    state.ranges = null;
    timer = setTimeout(() => {
      state.ranges = forced.size && found ? rangesOf(state.alternatives(), page.variables) : null;
      for (const listener of late) listener(state);
    }, PAUSE);
  }

  function weighted(variable, value) {
    const { levels } = page.variables[variable];
    return levels ? levels.map((_, level) => (level === value ? 1 : 0)) : value;
  }

  return state;
}

// For each variable the lowest and highest expected value, or probability of each level, over several answers.
function rangesOf(answers, variables) {
  if (!answers) return null;
  const ends = (numbers) => [Math.min(...numbers), Math.max(...numbers)];
  const nodes = variables.map(({ levels }, i) => (levels ? levels.map((_, level) => ends(answers.map((beliefs) => beliefs[i][level]))) : ends(answers.map((beliefs) => beliefs[i].mean))));
  return { count: answers.length, nodes };
}

// Elements of the page. Texts become text nodes and never markup, so that names cannot run or load anything.

const SVG = "http://www.w3.org/2000/svg";

export function element(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

export function button(label, onClick, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", onClick);
  return made;
}

const LONGEST = 120; // characters of a name that are shown
const MOST_TITLE = 1000;
const OTHER_WAY = /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/;

// A name from the data: text of another direction stays inside it, and a very long one is cut.
export function nameOf(text) {
  const shown = shortened(text);
  return element("bdi", { class: "name", title: shown === text ? null : text.slice(0, MOST_TITLE) }, shown);
}

// The same inside a sentence.
export function inText(text) {
  const shown = shortened(text);
  return OTHER_WAY.test(shown) ? `\u2068${shown}\u2069` : shown;
}

export function shortened(text, most = LONGEST) {
  if (text.length <= most) return text;
  const signs = [...text.slice(0, 2 * most)];
  return signs.length > most ? `${signs.slice(0, Math.max(1, most - 1)).join("")}…` : text;
}

// Changes that do nothing where nothing differs, so that the browser draws only what moved.

const written = new WeakMap(); // the last texts of each element, since asking the browser takes longer

function isNew(shape, name, text) {
  let texts = written.get(shape);
  if (!texts) written.set(shape, (texts = new Map()));
  if (texts.get(name) === text) return false;
  texts.set(name, text);
  return true;
}

export function setAttribute(shape, name, value) {
  const text = String(value);
  if (isNew(shape, name, text)) shape.setAttribute(name, text);
}

export function setText(shape, text) {
  if (isNew(shape, "", text)) shape.textContent = text;
}

export function replaceChildren(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) made.append(child);
  }
  return made;
}

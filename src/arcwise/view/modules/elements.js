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

// A name from the data: text of another direction stays inside it.
export function nameOf(text) {
  return element("bdi", { class: "name" }, text);
}

// Changes that do nothing where nothing differs, so that the browser draws only what moved.

export function setAttribute(shape, name, value) {
  const text = String(value);
  if (shape.getAttribute(name) !== text) shape.setAttribute(name, text);
}

export function setText(shape, text) {
  if (shape.textContent !== text) shape.textContent = text;
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

// SPDX-License-Identifier: Apache-2.0
// dom.js -- creates elements; text is always inserted as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value === "boolean") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Creates an element; attributes that begin with "on" are listeners, children are elements or text.
export function h(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

const ICONS = {
  close: "M5 5l10 10M15 5L5 15",
  back: "M12 4l-6 6 6 6",
  menu: "M3 6h14M3 10h14M3 14h14",
  plus: "M10 4v12M4 10h12",
  search: "M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4zM13 13l4 4",
  edit: "M4 16l1-4 8-8 3 3-8 8-4 1zM11.5 5.5l3 3",
  trash: "M4 6h12M8 6V4h4v2M6 6l1 10h6l1-10",
  eye: "M2.5 10S5.5 5 10 5s7.5 5 7.5 5-3 5-7.5 5-7.5-5-7.5-5zM10 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  moon: "M15.5 11.8A6.3 6.3 0 0 1 8.2 4.5a6.3 6.3 0 1 0 7.3 7.3z",
  sun: "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1",
  pause: "M7 5v10M13 5v10",
  play: "M7 4.5l8 5.5-8 5.5z",
  flow: "M3 10h3M14 10h3M6 10a2 2 0 1 0 4 0 2 2 0 0 0-4 0zM10 10h4",
  pulse: "M2 10h4l2-5 4 10 2-5h4",
  user: "M10 3.5a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4zM3.8 16.5c.6-3 3.1-4.6 6.2-4.6s5.6 1.6 6.2 4.6",
  key: "M12.5 4a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 10l-6 6M5 15l1.5 1.5",
};

export function icon(name) {
  return svg("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" },
    svg("path", { d: ICONS[name] }));
}

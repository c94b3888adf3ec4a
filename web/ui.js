// SPDX-License-Identifier: Apache-2.0
// ui.js -- elements shared by the views: toasts, dialogs, chips.

import { byId, h } from "./dom.js";
import { get, PARTIAL_LIST } from "./api.js";

const TOASTS_MAX = 4;

export function toast(text, isBad) {
  const place = byId("toasts");
  while (place.children.length >= TOASTS_MAX) place.firstChild.remove();
  const note = h("div", { class: isBad ? "toast bad" : "toast" }, text);
  place.append(note);
  setTimeout(() => note.remove(), isBad ? 9000 : 3500);
}

// Opens a modal dialog; resolves to the value passed to close(value), or null if it was dismissed.
export function openDialog(build, { isWide } = {}) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: isWide ? "wide" : "" });
    const before = document.activeElement;
    let answer = null;
    const close = (value) => {
      answer = value;
      dialog.close();
    };
    dialog.append(build(close));
    dialog.addEventListener("close", () => {
      dialog.remove();
      before?.focus?.();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("[autofocus]")?.focus();
  });
}

export function confirmDialog({ title, text, action }) {
  return openDialog((close) => h("form", { class: "dialog", method: "dialog", "aria-label": title },
    h("h2", {}, title), h("p", {}, text),
    h("div", { class: "actions" },
      h("button", { class: "button", type: "button", autofocus: true, onclick: () => close(null) }, "Cancel"),
      h("button", { class: "button danger primary", type: "button", "data-role": "confirm", onclick: () => close(true) }, action))));
}

const GOOD = /^(Running|Active|Ready|Bound|True|Complete|Completed|Succeeded|Available|Approved|Established|Normal)$/;
const BAD = /(Failed|Error|BackOff|NotReady|Evicted|OOM|Invalid|Lost|Unhealthy|False)/;
const WARN = /^(Pending|ContainerCreating|Terminating|Unknown|Progressing|PodInitializing|Init:.*|SchedulingDisabled|Warning|Released|Suspended)/;

// The colour for a status word.
export function toneOf(text) {
  if (GOOD.test(text)) return "good";
  if (BAD.test(text)) return "bad";
  if (WARN.test(text)) return "warn";
  const parts = /^(\d+)\/(\d+)$/.exec(text);
  if (parts) return Number(parts[1]) >= Number(parts[2]) ? "good" : "warn";
  return "";
}

export const chip = (text, tone) => h("span", { class: `chip ${tone || ""}` }, h("span", {}, text));

const STATES = {
  loading: ["Loading", ""], live: ["Live", "good live"], reconnecting: ["Reconnecting", "warn"],
  stale: ["Stale", "bad"], failed: ["Not available", "bad"], paused: ["Paused", "warn"],
};

export function stateChip(state, title) {
  const [text, tone] = STATES[state];
  return h("span", { class: `chip state ${tone}`, "data-state": state, role: "status", title },
    h("i", { class: "dot" }), h("span", {}, text));
}

// The names of all namespaces.
export async function namespaceNames() {
  const list = await get("/api/v1/namespaces?pretty=0", { accept: PARTIAL_LIST });
  return list.items.map((item) => item.metadata.name);
}

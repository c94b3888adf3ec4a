// SPDX-License-Identifier: Apache-2.0
// changes.js -- a live list of the most recent changes, of all kinds or of selected ones.

import { PARTIAL, PARTIAL_LIST } from "./api.js";
import { h, icon, replace } from "./dom.js";
import { clockTime, count } from "./format.js";
import { Live } from "./live.js";

const CHANGES_MAX = 400;
const QUIET = new Set(["leases", "events"]); // not part of "all": they change too often

const SIGNS = { ADDED: ["Added", "good"], MODIFIED: ["Changed", "accent"], DELETED: ["Deleted", "bad"] };

export class ChangesView {
  // on: open(kind, metadata), state(state, error).
  constructor(kinds, namespace, on) {
    this.kinds = kinds.filter((kind) => kind.can("watch") && (!namespace || kind.isNamespaced));
    Object.assign(this, { namespace, on });
    this.chosen = new Set();
    this.lives = new Map();
    this.changes = [];
    this.total = 0;
    this.filter = "";
    this.build();
    this.follow();
  }

  stop() {
    this.lives.forEach((live) => live.stop());
    this.lives.clear();
  }

  build() {
    this.list = h("ol", { "aria-label": "Changes, newest first" });
    this.note = h("div", { class: "empty-note" }, h("strong", {}, "No changes yet"), "Changes appear here as they happen.");
    this.tally = h("span", { class: "faint number" });
    this.picks = h("div", { class: "picks" });
    this.add = h("select", { class: "field", "aria-label": "Select kinds", onchange: () => this.choose(this.add.value) });
    this.pauseButton = h("button", { class: "button", type: "button", "aria-pressed": "false", onclick: () => this.pause() }, icon("pause"), "Pause");
    this.element = h("div", { class: "changes" },
      h("div", { class: "tools" }, this.picks, this.add, h("span", { class: "grow" }), this.tally, this.pauseButton),
      this.note, this.list);
    this.drawPicks();
  }

  drawPicks() {
    replace(this.picks, this.chosen.size === 0 ? h("span", { class: "chip accent" }, "All kinds")
      : [...this.chosen].map((id) => h("span", { class: "chip accent" }, this.kinds.find((kind) => kind.id === id).plural,
        h("button", { type: "button", "aria-label": "Remove", onclick: () => this.drop(id) }, "×"))));
    replace(this.add, h("option", { value: "" }, this.chosen.size === 0 ? "Only …" : "Also …"),
      this.kinds.filter((kind) => !this.chosen.has(kind.id)).map((kind) => h("option", { value: kind.id }, kind.plural)));
  }

  choose(id) {
    if (id) this.chosen.add(id);
    this.drawPicks();
    this.follow();
  }

  drop(id) {
    this.chosen.delete(id);
    this.drawPicks();
    this.follow();
  }

  // Starts and stops watches so that exactly the selected kinds are watched.
  follow() {
    const wanted = this.kinds.filter((kind) => (this.chosen.size ? this.chosen.has(kind.id) : !QUIET.has(kind.plural)));
    const ids = new Set(wanted.map((kind) => kind.id));
    for (const [id, live] of this.lives) {
      if (ids.has(id)) continue;
      live.stop();
      this.lives.delete(id);
    }
    for (const kind of wanted) {
      if (this.lives.has(kind.id)) continue;
      this.lives.set(kind.id, new Live({ name: kind.plural, path: kind.path(this.namespace), accept: PARTIAL, listAccept: PARTIAL_LIST, skipsList: true }, {
        onEvent: (type, object) => this.take(kind, type, object.metadata),
        onState: () => this.tellState(),
      }).start());
    }
    this.tellState();
  }

  tellState() {
    const states = [...this.lives.values()].map((live) => live.state);
    const worst = ["stale", "reconnecting", "loading"].find((state) => states.includes(state));
    this.on.state(this.isPaused ? "paused" : worst || "live");
  }

  pause() {
    this.isPaused = !this.isPaused;
    this.pauseButton.setAttribute("aria-pressed", String(this.isPaused));
    replace(this.pauseButton, icon(this.isPaused ? "play" : "pause"), this.isPaused ? "Resume" : "Pause");
    this.tellState();
    if (!this.isPaused) this.draw();
  }

  setFilter(text) {
    this.filter = text.trim().toLowerCase();
    this.list.replaceChildren();
    this.draw();
  }

  take(kind, type, metadata) {
    this.total++;
    this.changes.unshift({ kind, type, metadata, at: new Date(), id: this.total });
    this.changes.length = Math.min(this.changes.length, CHANGES_MAX);
    if (this.isDue || this.isPaused) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.draw();
    });
  }

  draw() {
    const text = (change) => `${change.kind.plural} ${change.kind.kind} ${change.metadata.namespace || ""}/${change.metadata.name} ${change.type}`.toLowerCase();
    const shown = this.changes.filter((change) => !this.filter || text(change).includes(this.filter));
    const last = Number(this.list.firstChild?.dataset.id || 0);
    const fresh = shown.filter((change) => change.id > last).map((change) => this.row(change));
    this.list.prepend(...fresh);
    while (this.list.children.length > shown.length) this.list.lastChild.remove();
    this.note.hidden = shown.length > 0;
    this.list.hidden = shown.length === 0;
    this.tally.textContent = this.total ? `${count(this.total)} since this page was opened` : "";
  }

  row({ kind, type, metadata, at, id }) {
    const [sign, tone] = SIGNS[type];
    return h("li", { "data-id": id }, h("button", { class: "change fresh", type: "button", onclick: () => this.on.open(kind, metadata) },
      h("time", { datetime: at.toISOString() }, clockTime(at)),
      h("span", { class: "sign" }, h("span", { class: `chip ${tone}` }, sign)),
      h("span", { class: "what" }, kind.kind),
      h("span", { class: "who" }, metadata.namespace ? h("span", {}, `${metadata.namespace}/`) : null, metadata.name),
      h("span", { class: "revision" }, metadata.resourceVersion)));
  }
}

// SPDX-License-Identifier: Apache-2.0
// table.js -- the objects of one kind as a live table.  Only the visible rows are in the document.

import { TABLE } from "./api.js";
import { h, replace } from "./dom.js";
import { age, ageOf, count } from "./format.js";
import { Live } from "./live.js";
import { chip, toneOf } from "./ui.js";

const ROWS_MAX = 10000;
const OVERSCAN = 8;

const keyOf = (metadata) => `${metadata.namespace || ""}/${metadata.name}`;
const byText = new Intl.Collator("en", { numeric: true }).compare;

export class TableView {
  // on: open(metadata), state(state, error), size(shown, all).
  constructor(kind, namespace, on) {
    Object.assign(this, { kind, namespace, on });
    this.rows = new Map();
    this.columns = [];
    this.shown = [];
    this.drawn = new Map();
    this.filter = "";
    this.sort = { by: -1, isDown: false };
    this.more = 0;
    this.active = 0;
    this.build();
    this.live = new Live({ name: kind.plural, path: kind.path(namespace), accept: TABLE, limit: ROWS_MAX }, {
      onReset: (rows, more, table) => this.reset(rows, more, table),
      onEvent: (type, row) => this.take(type, row),
      onState: (state, error) => {
        this.refusal.hidden = state !== "failed";
        this.refusal.textContent = error?.message || "";
        on.state(state, error);
      },
    }).start();
    this.ticker = setInterval(() => this.drawRows(), 1000);
    this.watcher = new ResizeObserver(() => this.drawRows());
    this.watcher.observe(this.grid);
  }

  stop() {
    this.live.stop();
    clearInterval(this.ticker);
    this.watcher.disconnect();
  }

  build() {
    this.head = h("div", { class: "grid-head", role: "row" });
    this.body = h("div", { class: "grid-body", role: "rowgroup" });
    this.note = h("div", { class: "empty-note", hidden: true });
    this.grid = h("div", { class: "grid", role: "grid", "aria-label": this.kind.plural,
      onscroll: () => this.drawRows(), onkeydown: (event) => this.onKey(event) }, this.head, this.body, this.note);
    this.notice = h("div", { class: "notice", hidden: true });
    this.refusal = h("div", { class: "notice bad", role: "alert", hidden: true });
    this.element = h("div", { class: "changes" }, this.refusal, this.notice, this.grid);
  }

  reset(rows, more, table) {
    this.columns = columnsOf(table.columnDefinitions, this.kind.isNamespaced && !this.namespace);
    this.rows.clear();
    for (const row of rows.slice(0, ROWS_MAX)) this.put(row);
    this.more = more + Math.max(0, rows.length - ROWS_MAX);
    this.drawHead();
    this.changed();
  }

  put(row, isFresh) {
    const metadata = row.object.metadata;
    this.rows.set(keyOf(metadata), { cells: row.cells, metadata, at: Date.now(), freshAt: isFresh ? performance.now() : -1e9 });
  }

  take(type, row) {
    const key = keyOf(row.object.metadata);
    if (type === "DELETED") {
      if (!this.rows.delete(key) && this.more > 0) this.more--;
    } else if (this.rows.has(key) || this.rows.size < ROWS_MAX) {
      this.put(row, true);
    } else if (type === "ADDED") {
      this.more++;
    }
    this.changed();
  }

  setFilter(text) {
    this.filter = text.trim().toLowerCase();
    this.grid.scrollTop = 0;
    this.active = 0;
    this.choose();
    this.drawRows();
  }

  // Draws at most once per frame, however many changes arrive.
  changed() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.choose();
      this.drawRows();
    });
  }

  text(row, column) {
    if (column.isAge) return ageOf(row.metadata.creationTimestamp);
    if (column.isElapsed) return grown(row.cells[column.at], Date.now() - row.at);
    const value = column.isNamespace ? row.metadata.namespace : row.cells[column.at];
    return value === null || value === undefined ? "" : String(value);
  }

  matches(row) {
    const words = this.filter.split(/\s+/);
    const labels = Object.entries(row.metadata.labels || {}).map(([name, value]) => `${name}=${value}`).join(" ");
    const text = `${keyOf(row.metadata)} ${row.cells.join(" ")} ${labels}`.toLowerCase();
    return words.every((word) => text.includes(word));
  }

  choose() {
    let rows = [...this.rows.values()];
    if (this.filter) rows = rows.filter((row) => this.matches(row));
    const column = this.columns[this.sort.by];
    const key = (row) => keyOf(row.metadata);
    const compare = !column ? (a, b) => byText(key(a), key(b))
      : column.isAge ? (a, b) => byText(b.metadata.creationTimestamp, a.metadata.creationTimestamp)
        : (a, b) => byText(this.text(a, column), this.text(b, column)) || byText(key(a), key(b));
    rows.sort(this.sort.isDown ? (a, b) => compare(b, a) : compare);
    this.shown = rows;
    this.active = Math.min(this.active, Math.max(0, rows.length - 1));
    this.drawNotes();
    this.on.size(rows.length, this.rows.size + this.more);
  }

  drawNotes() {
    this.notice.hidden = this.more === 0;
    this.notice.textContent = this.more === 0 ? ""
      : `Showing the first ${count(this.rows.size)}; ${count(this.more)} more are on the server. Select a namespace to narrow the list.`;
    this.note.hidden = this.shown.length > 0;
    if (this.shown.length > 0) return;
    replace(this.note, h("strong", {}, this.filter ? "No matches" : `No ${this.kind.plural}`),
      this.filter ? `None of the ${count(this.rows.size)} ${this.kind.plural} matches “${this.filter}”.`
        : "New objects appear here automatically.");
  }

  drawHead() {
    const widths = this.columns.map((column) => (column.isMain ? [230, 2.4] : column.name === "Message" ? [260, 2.4] : column.isAge ? [92, 0.3]
      : column.look === "status" ? [152, 0.9] : column.isShort ? [92, 0.6] : [120, 1]));
    this.grid.style.setProperty("--columns", widths.map(([least, share]) => `minmax(${least}px, ${share}fr)`).join(" "));
    this.grid.style.setProperty("--least", `${widths.reduce((sum, [least]) => sum + least, 0)}px`);
    replace(this.head, this.columns.map((column, at) => {
      const isSorted = this.sort.by === at;
      return h("div", { role: "columnheader", "aria-sort": isSorted ? (this.sort.isDown ? "descending" : "ascending") : "none" },
        h("button", { type: "button", title: column.about, onclick: () => this.sortBy(at) }, column.name));
    }));
  }

  sortBy(at) {
    if (this.sort.by !== at) this.sort = { by: at, isDown: false };
    else if (!this.sort.isDown) this.sort.isDown = true;
    else this.sort = { by: -1, isDown: false };
    this.drawHead();
    this.head.children[at].firstChild.focus();
    this.changed();
  }

  get rowHeight() {
    return parseInt(getComputedStyle(this.grid).getPropertyValue("--row"), 10) || 38;
  }

  drawRows() {
    const height = this.rowHeight;
    this.body.style.height = `${this.shown.length * height}px`;
    this.grid.setAttribute("aria-rowcount", this.shown.length + 1);
    const first = Math.max(0, Math.floor(this.grid.scrollTop / height) - OVERSCAN);
    const last = Math.min(this.shown.length, Math.ceil((this.grid.scrollTop + this.grid.clientHeight) / height) + OVERSCAN);
    const kept = new Map();
    for (let at = first; at < last; at++) {
      const row = this.shown[at], key = keyOf(row.metadata);
      const element = this.drawn.get(key) || this.makeRow(key);
      kept.set(key, element);
      this.fillRow(element, row, at, height);
    }
    for (const [key, element] of this.drawn) if (!kept.has(key)) element.remove();
    this.drawn = kept;
  }

  makeRow(key) {
    const element = h("div", { class: "grid-row", role: "row", "data-key": key });
    element.addEventListener("click", () => {
      this.active = element.rowAt;
      this.on.open(this.shown[element.rowAt].metadata);
      this.drawRows();
    });
    this.body.append(element);
    return element;
  }

  fillRow(element, row, at, height) {
    element.rowAt = at;
    element.style.transform = `translateY(${at * height}px)`;
    element.setAttribute("aria-rowindex", at + 2);
    element.tabIndex = at === this.active ? 0 : -1;
    element.setAttribute("aria-selected", String(this.selected === element.dataset.key));
    element.classList.toggle("fresh", performance.now() - row.freshAt < 1800);
    const texts = this.columns.map((column) => this.text(row, column));
    const drawn = texts.join("\u0000");
    if (element.drawn === drawn) return;
    element.drawn = drawn;
    replace(element, this.columns.map((column, index) => {
      const text = texts[index];
      const tone = column.isStatus ? toneOf(text) : "";
      return h("div", { role: "gridcell", class: column.look, "data-label": column.isNamespace ? undefined : column.name, title: text.length > 18 ? text : undefined },
        tone ? chip(text, tone) : text);
    }));
  }

  select(key) {
    this.selected = key;
    this.drawRows();
  }

  focus() {
    this.moveTo(this.active);
  }

  moveTo(at) {
    if (this.shown.length === 0) return;
    this.active = Math.max(0, Math.min(this.shown.length - 1, at));
    const height = this.rowHeight, top = this.active * height;
    const room = this.grid.clientHeight - this.head.offsetHeight;
    if (top < this.grid.scrollTop) this.grid.scrollTop = top;
    else if (top + height > this.grid.scrollTop + room) this.grid.scrollTop = top + height - room;
    this.drawRows();
    this.drawn.get(keyOf(this.shown[this.active].metadata))?.focus({ preventScroll: true });
  }

  onKey(event) {
    if (!event.target.classList.contains("grid-row")) return;
    const page = Math.max(1, Math.floor(this.grid.clientHeight / this.rowHeight) - 2);
    const to = { ArrowDown: this.active + 1, j: this.active + 1, ArrowUp: this.active - 1, k: this.active - 1,
      PageDown: this.active + page, PageUp: this.active - page, Home: 0, End: this.shown.length - 1 }[event.key];
    if (to !== undefined) this.moveTo(to);
    else if (event.key === "Enter" || event.key === " ") this.on.open(this.shown[this.active].metadata);
    else return;
    event.preventDefault();
  }
}

// Adds |ms| to a duration such as "3m12s"; returns any other text unchanged.
function grown(text, ms) {
  const units = { y: 365 * 86400, d: 86400, h: 3600, m: 60, s: 1 };
  const parts = [...String(text).matchAll(/(\d+)([ydhms])/g)];
  if (parts.map(([part]) => part).join("") !== text || !text) return String(text);
  return age(ms + parts.reduce((sum, [, number, unit]) => sum + number * units[unit] * 1000, 0));
}

// The columns to show, and which of them is the object's name, its status and its age.
function columnsOf(definitions, hasNamespace) {
  const columns = definitions.map((definition, at) => ({ name: definition.name, at, about: definition.description, definition }))
    .filter(({ definition }) => definition.priority === 0);
  const main = columns.find(({ definition }) => definition.format === "name") || columns.find(({ name }) => name === "Object") || columns[0];
  for (const column of columns) {
    const { name, definition } = column;
    column.isMain = column === main;
    column.isAge = name === "Age";
    column.isElapsed = /^Last (Seen|Schedule)$/.test(name);
    column.isStatus = /^(Status|Phase|Ready|Type)$/.test(name) && !column.isMain;
    column.isShort = column.isStatus || column.isElapsed || definition.type === "integer" || definition.type === "boolean";
    column.look = column.isMain ? "main" : column.isAge || column.isElapsed ? "age" : "";
  }
  const status = columns.find(({ name }) => /^(Status|Phase)$/.test(name)) || columns.find((column) => column.isStatus);
  if (status) status.look = "status";
  const message = columns.find(({ name }) => name === "Message");
  const second = hasNamespace ? null : message || columns.find((column) => !column.look);
  if (second) second.look = "second";
  if (hasNamespace) columns.splice(columns.indexOf(main) + 1, 0, { name: "Namespace", isNamespace: true, look: "second", about: "Namespace of the object." });
  return columns;
}

// SPDX-License-Identifier: Apache-2.0
// editor.js -- edits an object as text.  It is saved with the revision that was read, so that changes
// made by others are not overwritten unnoticed.
//
//     editing ──save──▶ saved
//        ▲      └──409──▶ conflict: a diff of both versions
//        └──── merge ───────┘ ├──overwrite──▶ saved
//                             └──discard──▶ done

import { get, request } from "./api.js";
import { diffLines } from "./diff.js";
import { h, replace } from "./dom.js";
import { withoutManagedFields } from "./secret.js";
import { toast } from "./ui.js";
import { yamlText } from "./yaml.js";

const CONTEXT = 3; // lines around a difference

// Fixed order of the first members, so that a diff shows only real differences.
const textOf = ({ apiVersion, kind, metadata, ...rest }) =>
  yamlText(withoutManagedFields({ apiVersion, kind, metadata, ...rest }));

// JSON is valid YAML, but with the JSON media type the server's error messages are better.
export const typeOf = (text) => (text.trimStart().startsWith("{") ? "application/json" : "application/yaml");

function onRevision(text, revision) {
  return text.replace(/^(\s*"?resourceVersion"?:\s*)"?\d+"?/m, `$1"${revision}"`);
}

export class Editor {
  // on: done(object), or done(null) if it was cancelled.
  constructor(kind, object, on) {
    Object.assign(this, { kind, object, on });
    this.path = kind.objectPath(object.metadata.namespace, object.metadata.name);
    this.element = h("div", { class: "editor" });
    this.text = textOf(object);
    this.first = this.text;
    this.show();
  }

  get isChanged() {
    return this.area && this.area.value !== this.first;
  }

  show(error) {
    this.area = h("textarea", { class: "field", spellcheck: "false", autocapitalize: "off", "aria-label": "Object as YAML",
      onkeydown: (event) => this.onKey(event) });
    this.area.value = this.text;
    this.save = h("button", { class: "button primary", type: "button", "data-role": "save", onclick: () => this.put() }, "Save");
    this.note = h("span", { class: "faint grow" }, "YAML or JSON");
    replace(this.element, this.area,
      error ? h("div", { class: "error", role: "alert" }, error) : null,
      h("div", { class: "foot" }, this.note,
        h("button", { class: "button", type: "button", onclick: () => this.on.done(null) }, "Cancel"), this.save));
    this.area.focus();
    this.area.setSelectionRange(0, 0);
    this.area.scrollTop = 0;
  }

  onKey(event) {
    if (event.key === "Tab" && !event.shiftKey) {
      event.preventDefault();
      this.area.setRangeText("  ", this.area.selectionStart, this.area.selectionEnd, "end");
    } else if ((event.key === "s" || event.key === "Enter") && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.put();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      if (!this.isChanged) this.on.done(null);
      else this.area.blur();
    }
  }

  // The object changed on the server while it is being edited.
  changedMeanwhile(object) {
    if (object.metadata.resourceVersion === this.object.metadata.resourceVersion || !this.note?.isConnected) return;
    this.note.textContent = `The object has changed on the server (revision ${object.metadata.resourceVersion}); saving will show both versions.`;
  }

  async put() {
    this.text = this.area ? this.area.value : this.text;
    if (this.save) this.save.disabled = true;
    try {
      const saved = await request("PUT", this.path, { body: this.text, type: typeOf(this.text) });
      toast(`${this.kind.kind} ${saved.metadata.name} saved`);
      this.on.done(saved);
    } catch (error) {
      if (error.code === 409) await this.conflict(error);
      else this.show(error.message);
    }
  }

  async conflict(error) {
    let theirs;
    try {
      theirs = await get(`${this.path}?pretty=0`);
    } catch {
      return this.show(error.message); // the object was deleted: the message says so
    }
    const revision = theirs.metadata.resourceVersion;
    const mine = onRevision(this.text, revision);
    this.area = null;
    const button = (look, role, text, fn) => h("button", { class: `button ${look}`, type: "button", "data-role": role, onclick: fn }, text);
    replace(this.element, h("div", { class: "conflict", role: "alertdialog", "aria-label": "Conflict" },
      h("div", { class: "why" }, h("strong", {}, "The object was changed on the server while you were editing"),
        `You started from revision ${this.object.metadata.resourceVersion}; the current revision is ${revision}. Your changes have not been saved.`),
      h("div", { class: "legend" }, h("span", {}, h("i", { class: "theirs" }), "on the server"), h("span", {}, h("i", { class: "mine" }), "yours")),
      diffView(textOf(theirs), mine),
      h("div", { class: "editor" }, h("div", { class: "foot" },
        button("", "theirs", "Discard mine", () => this.on.done(theirs)), h("span", { class: "grow" }),
        button("", "merge", "Continue editing", () => this.goOn(theirs, mine)),
        button("primary", "overwrite", "Overwrite with mine", () => this.overwrite(theirs, mine))))));
    this.element.querySelector("[data-role=merge]").focus();
  }

  goOn(theirs, mine) {
    this.object = theirs;
    this.text = mine;
    this.show();
  }

  overwrite(theirs, mine) {
    this.goOn(theirs, mine);
    return this.put();
  }
}

function diffView(theirs, mine) {
  const lines = diffLines(theirs, mine);
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(([sign]) => sign !== " "));
  const rows = [];
  let left = 0;
  const flush = () => {
    if (left > 0) rows.push(h("div", { class: "gap" }, left === 1 ? "⋯ 1 unchanged line" : `⋯ ${left} unchanged lines`));
    left = 0;
  };
  lines.forEach(([sign, text], at) => {
    if (!near[at]) {
      left++;
      return;
    }
    flush();
    rows.push(h("div", { class: sign === "-" ? "theirs" : sign === "+" ? "mine" : "", "data-sign": sign === "-" ? "−" : sign }, text || " "));
  });
  flush();
  return h("div", { class: "diff", tabindex: "0", "aria-label": "Differences" }, rows);
}

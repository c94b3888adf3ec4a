// SPDX-License-Identifier: Apache-2.0
// object.js -- the panel of one object: live YAML, its events, editing and deletion.

import { learn, may, mayPlain } from "./access.js";
import { request } from "./api.js";
import { byId, h, icon, replace } from "./dom.js";
import { Editor } from "./editor.js";
import { ageOf } from "./format.js";
import { Live } from "./live.js";
import { isSecret, masked, withoutManagedFields } from "./secret.js";
import { chip, confirmDialog, toast, toneOf } from "./ui.js";
import { yamlLines, yamlText } from "./yaml.js";

const EVENTS_MAX = 200;
const FACTS_MAX = 8;

export class ObjectPanel {
  // on: close().
  constructor(kind, namespace, name, on) {
    Object.assign(this, { kind, namespace, name, on });
    this.tab = "yaml";
    this.events = new Map();
    this.place = byId("panel");
    this.build();
    this.live = new Live({ name: `${kind.plural}/${name}`, path: kind.path(namespace),
      parameters: { fieldSelector: `metadata.name=${name}` } }, {
      onReset: (items) => this.take(items[0] ? "MODIFIED" : "DELETED", items[0]),
      onEvent: (type, object) => this.take(type, object),
      onState: (state) => this.place.classList.toggle("is-behind", state !== "live"),
    }).start();
    this.liveEvents = !mayPlain("list", "events", namespace) || !mayPlain("watch", "events", namespace) ? null : new Live({ name: "events", path: namespace ? `/api/v1/namespaces/${namespace}/events` : "/api/v1/events",
      parameters: { fieldSelector: `involvedObject.kind=${kind.kind},involvedObject.name=${name}` } }, {
      onReset: (items) => {
        this.events.clear();
        items.forEach((item) => this.takeEvent("ADDED", item));
        this.drawEvents();
      },
      onEvent: (type, event) => {
        this.takeEvent(type, event);
        this.drawEvents();
      },
    }).start();
  }

  stop() {
    this.live.stop();
    this.liveEvents?.stop();
    this.place.hidden = true;
    this.place.replaceChildren();
  }

  focus() {
    this.tabs.querySelector("[tabindex='0']").focus({ preventScroll: true });
  }

  build() {
    this.facts = h("div", { class: "facts" });
    this.tabs = h("div", { class: "tabs", role: "tablist", onkeydown: (event) => this.onTabKey(event) });
    this.body = h("div", { class: "object-body", role: "tabpanel" });
    const act = (name, label, look, fn, role) => h("button", { class: `button square quiet ${look}`, type: "button",
      "aria-label": label, title: label, "data-role": role, onclick: fn }, icon(name));
    this.editButton = act("edit", "Edit", "", () => this.edit(), "edit");
    this.deleteButton = act("trash", "Delete", "danger", () => this.remove(), "delete");
    replace(this.place, h("div", { class: "object-head" },
      h("div", { class: "row" },
        h("div", { class: "who" }, h("div", { class: "kind" }, `${this.kind.kind}${this.namespace ? ` in ${this.namespace}` : ""}`),
          h("h2", { title: this.name }, this.name)),
        this.editButton, this.deleteButton,
        act("close", "Close", "", () => this.on.close(), "close")),
      this.facts, this.tabs), this.body);
    this.place.hidden = false;
    this.drawTabs();
    this.drawRights();
    learn(this.namespace).then(() => this.drawRights());
  }

  // Offers what the user may do with the object.
  drawRights() {
    const can = (verb) => this.kind.can(verb) && may(verb, this.kind, this.namespace, this.name);
    this.editButton.hidden = !can("update");
    this.deleteButton.hidden = !can("delete");
  }

  take(type, object) {
    if (type === "DELETED") {
      this.isGone = true;
      replace(this.facts, chip("Deleted", "bad"));
      if (!this.object) replace(this.body, h("div", { class: "empty-note" }, h("strong", {}, "Not found"), "The object does not exist. It may have been deleted."));
      return;
    }
    this.isGone = false;
    // Items of a list have no apiVersion and kind.
    this.object = { apiVersion: this.kind.apiVersion, kind: this.kind.kind, ...object };
    this.drawFacts();
    if (this.editor) this.editor.changedMeanwhile(this.object);
    else if (this.tab === "yaml") this.drawYaml();
  }

  drawFacts() {
    const { metadata, status } = this.object;
    const phase = status?.phase;
    const owners = (metadata.ownerReferences || []).map((owner) => chip(`owned by ${owner.kind} ${owner.name}`, "accent"));
    const labels = Object.entries(metadata.labels || {}).map(([name, value]) => chip(value ? `${name}=${value}` : name));
    replace(this.facts, metadata.deletionTimestamp ? chip("Terminating", "warn") : phase ? chip(phase, toneOf(phase)) : null,
      chip(`${ageOf(metadata.creationTimestamp)} old`), chip(`revision ${metadata.resourceVersion}`), owners, labels.slice(0, FACTS_MAX));
  }

  drawTabs() {
    const tab = (id, text) => h("button", { type: "button", role: "tab", "data-tab": id, "aria-selected": String(this.tab === id && !this.editor),
      tabindex: this.tab === id ? "0" : "-1", onclick: () => this.showTab(id) }, text);
    const hadFocus = this.tabs.contains(document.activeElement);
    replace(this.tabs, tab("yaml", "YAML"), tab("events", `Events ${this.events.size || ""}`));
    if (hadFocus) this.tabs.querySelector("[tabindex='0']").focus();
  }

  onTabKey(event) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    this.showTab(this.tab === "yaml" ? "events" : "yaml");
  }

  async showTab(id) {
    if (this.editor?.isChanged && !await confirmDialog({ title: "Discard changes?", text: "Your changes have not been saved.", action: "Discard" })) return;
    this.editor = null;
    this.tab = id;
    this.drawTabs();
    if (id === "events") this.drawEvents();
    else if (this.object) this.drawYaml();
  }

  drawYaml() {
    const isHidden = isSecret(this.object) && !this.isRevealed;
    const shown = this.showsManaged ? this.object : withoutManagedFields(this.object);
    const lines = yamlLines(isHidden ? masked(shown) : shown);
    const top = this.body.scrollTop;
    const tool = (text, isPressed, fn) => h("button", { class: "button quiet", type: "button", "aria-pressed": isPressed, onclick: fn }, text);
    replace(this.body,
      isSecret(this.object) ? h("div", { class: "masked" }, icon("eye"),
        h("span", {}, isHidden ? "The values are hidden." : "The values are shown in base64, as they are stored."),
        h("button", { class: "button", type: "button", "data-role": "reveal", onclick: () => this.reveal(!this.isRevealed) }, isHidden ? "Show values" : "Hide values")) : null,
      h("div", { class: "code-tools" },
        this.object.metadata.managedFields ? tool("Managed fields", String(Boolean(this.showsManaged)), () => {
          this.showsManaged = !this.showsManaged;
          this.drawYaml();
        }) : null,
        isHidden ? null : tool("Copy", undefined, () => this.copy(shown))),
      h("pre", { class: "code", tabindex: "0", "aria-label": "YAML" },
        lines.flatMap((line) => [...line.map(([text, look]) => (look ? h("span", { class: look }, text) : text)), "\n"])));
    this.body.scrollTop = top;
  }

  async copy(object) {
    try {
      await navigator.clipboard.writeText(yamlText(object));
      toast("Copied");
    } catch {
      toast("The browser does not allow this page to copy: select and copy the text instead", true);
    }
  }

  reveal(isRevealed) {
    this.isRevealed = isRevealed;
    this.drawYaml();
    this.body.querySelector("[data-role=reveal]")?.focus();
  }

  takeEvent(type, event) {
    const id = event.metadata.uid;
    if (type === "DELETED") this.events.delete(id);
    else this.events.set(id, event);
    if (this.events.size > EVENTS_MAX) this.events.delete(this.events.keys().next().value);
  }

  drawEvents() {
    this.drawTabs();
    if (this.tab !== "events" || this.editor) return;
    const when = (event) => event.lastTimestamp || event.series?.lastObservedTime || event.eventTime || event.metadata.creationTimestamp;
    const events = [...this.events.values()].sort((a, b) => when(b).localeCompare(when(a)));
    if (events.length === 0) {
      replace(this.body, h("div", { class: "empty-note" }, h("strong", {}, "No events"), "Events about this object appear here automatically."));
      return;
    }
    replace(this.body, h("ul", { class: "events" }, events.map((event) => h("li", {},
      chip(event.type || "Normal", event.type === "Warning" ? "warn" : "good"),
      h("span", { class: "reason" }, event.reason || "", event.count > 1 ? h("span", { class: "faint" }, ` ×${event.count}`) : null),
      h("span", { class: "faint" }, `${ageOf(when(event))} ago`),
      h("p", { class: "message" }, event.message || event.note || "")))));
  }

  edit() {
    if (!this.object || this.isGone) return;
    this.tab = "yaml";
    this.editor = new Editor(this.kind, this.object, {
      done: (saved) => {
        this.editor = null;
        if (saved) this.take("MODIFIED", saved);
        this.drawTabs();
        if (this.object) this.drawYaml();
        this.editButton.focus();
      },
    });
    replace(this.body, this.editor.element);
    this.editor.area.focus();
    this.drawTabs();
  }

  async remove() {
    const where = this.namespace ? ` in the namespace ${this.namespace}` : "";
    const isSure = await confirmDialog({ title: `Delete ${this.name}?`,
      text: `This deletes the ${this.kind.kind}${where} and all objects it owns. This cannot be undone.`, action: "Delete" });
    if (!isSure) return;
    try {
      const uid = this.object?.metadata.uid;
      await request("DELETE", this.kind.objectPath(this.namespace, this.name), {
        body: JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background", preconditions: uid ? { uid } : undefined }) });
      toast(`${this.kind.kind} ${this.name} deleted`);
      this.on.close();
    } catch (error) {
      toast(error.message, true);
    }
  }
}

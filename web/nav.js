// SPDX-License-Identifier: Apache-2.0
// nav.js -- the navigation: all kinds, in groups, with the number of objects of each.

import { byId, h, icon, replace } from "./dom.js";
import { short } from "./format.js";

const SHELVES = [
  ["Workloads", ["apps", "batch", "autoscaling"], ["pods", "replicationcontrollers", "podtemplates"]],
  ["Network", ["networking.k8s.io", "discovery.k8s.io"], ["services", "endpoints"]],
  ["Configuration", ["policy", "scheduling.k8s.io", "node.k8s.io"], ["configmaps", "secrets", "resourcequotas", "limitranges"]],
  ["Storage", ["storage.k8s.io"], ["persistentvolumes", "persistentvolumeclaims"]],
  ["Access", ["rbac.authorization.k8s.io", "certificates.k8s.io", "authentication.k8s.io", "authorization.k8s.io"], ["serviceaccounts"]],
  ["Cluster", ["coordination.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "admissionregistration.k8s.io", "flowcontrol.apiserver.k8s.io", "events.k8s.io"],
    ["nodes", "namespaces", "events", "componentstatuses"]],
];
const OTHERS = "Custom resources";
const LEADERS = ["pods", "deployments", "replicasets", "jobs", "services", "configmaps", "secrets", "nodes", "namespaces", "events"];

function shelfOf(kind) {
  const found = SHELVES.find(([, groups, plurals]) => (kind.group ? groups.includes(kind.group) : plurals.includes(kind.plural)));
  return found ? found[0] : OTHERS;
}

function order(a, b) {
  const rank = (kind) => (LEADERS.indexOf(kind.plural) + 1 || LEADERS.length + 1);
  return rank(a) - rank(b) || a.plural.localeCompare(b.plural);
}

const spaced = (kind) => kind.replace(/([a-z])([A-Z])/g, "$1 $2");

export class Nav {
  constructor() {
    this.place = byId("nav");
    this.kinds = [];
    this.counts = new Map();
    this.showsEmpty = false;
    this.hasPipeline = true; // whether the user may see the server's statistics
  }

  setKinds(kinds) {
    // Events are served in two API groups; show only one of them.
    this.kinds = kinds.filter((kind) => kind.group !== "events.k8s.io");
    this.draw();
  }

  // |resources| is the member of that name in the server's statistics.
  setCounts(resources) {
    const before = this.kinds.map((kind) => this.isEmpty(kind)).join();
    for (const one of resources) this.counts.set(`${one.resource}.${one.version}${one.group ? `.${one.group}` : ""}`, one.objects);
    if (before !== this.kinds.map((kind) => this.isEmpty(kind)).join()) this.draw();
    for (const badge of this.place.querySelectorAll("[data-count]")) badge.textContent = this.label(badge.dataset.count);
  }

  setRoute(route) {
    this.route = route;
    this.draw();
  }

  label(id) {
    const number = this.counts.get(id);
    return number === undefined ? "" : short(number);
  }

  isEmpty(kind) {
    return this.counts.get(kind.id) === 0;
  }

  draw() {
    const current = this.route?.view === "kind" ? this.route.kind : this.route?.view;
    const focused = this.place.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    const link = (href, id, ...content) => h("a", { class: "item", href, "aria-current": current === id ? "page" : undefined }, content);
    const entry = (kind) => {
      const element = link(`#/k/${kind.id}`, kind.id, h("span", { class: "name", title: kind.group || "core" }, spaced(kind.kind)),
        h("span", { class: "count", "data-count": kind.id }, this.label(kind.id)));
      element.classList.toggle("empty", this.isEmpty(kind));
      return element;
    };
    const shown = this.kinds.filter((kind) => this.showsEmpty || !this.isEmpty(kind) || kind.id === current);
    const hidden = this.kinds.length - this.kinds.filter((kind) => !this.isEmpty(kind)).length;
    const shelves = [...SHELVES.map(([name]) => name), OTHERS].map((name) => [name, shown.filter((kind) => shelfOf(kind) === name).sort(order)]);
    replace(this.place, h("a", { class: "brand", href: "#/" }, h("img", { src: "/ui/icon.svg", alt: "" }), h("span", {}, "listwatch")),
      this.hasPipeline ? link("#/", "pipeline", icon("flow"), h("span", { class: "name" }, "Pipeline")) : null,
      link("#/changes", "changes", icon("pulse"), h("span", { class: "name" }, "Changes")),
      shelves.filter(([, kinds]) => kinds.length).map(([name, kinds]) => [h("h2", {}, name), kinds.map(entry)]),
      hidden ? h("button", { class: "item", type: "button", "aria-expanded": String(this.showsEmpty), onclick: () => {
        this.showsEmpty = !this.showsEmpty;
        this.draw();
      } }, h("span", { class: "name faint" }, this.showsEmpty ? "Hide kinds without objects" : `Show ${hidden} kinds without objects`)) : null,
      h("div", { class: "foot" }, h("span", {}, h("kbd", {}, "/"), " filter"), h("span", {}, h("kbd", {}, "n"), " new"), h("span", {}, h("kbd", {}, "Esc"), " back")));
    if (focused) this.place.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
  }
}

// SPDX-License-Identifier: Apache-2.0
// app.js -- routing (the URL fragment selects the view), the current view and the toolbar above it.
//
//     #/                        the pipeline
//     #/changes                 the stream of changes
//     #/k/pods.v1?ns=a&o=a/b    a kind; of one namespace; with the object b of namespace a open

import "./theme.js";
import { learn, may, mayGet, mayPlain, whoAmI } from "./access.js";
import { discover, onUnauthorized } from "./api.js";
import { ChangesView } from "./changes.js";
import { createDialog } from "./create.js";
import { byId, h, icon, replace } from "./dom.js";
import { Figures } from "./figures.js";
import { count } from "./format.js";
import { Live } from "./live.js";
import { Nav } from "./nav.js";
import { ObjectPanel } from "./object.js";
import { PipelineView } from "./pipeline.js";
import { TableView } from "./table.js";
import { isDark, toggleTheme } from "./theme.js";
import { askForToken, isLink, useLink, userDialog } from "./sign_in.js";
import { openDialog, stateChip } from "./ui.js";

const figures = new Figures();
const nav = new Nav();
const page = { kinds: [], namespaces: [], view: null, panel: null, route: null, user: null };
const OTHER = "/"; // the choice of a namespace that is not listed
const STATISTICS = "/debug/listwatch";

function readRoute() {
  const [path, query] = location.hash.replace(/^#/, "").split("?");
  const parameters = new URLSearchParams(query);
  const route = { ns: parameters.get("ns") || "", object: parameters.get("o") || "" };
  if (path === "/changes") return { ...route, view: "changes" };
  if (path?.startsWith("/k/")) return { ...route, view: "kind", kind: path.slice(3) };
  return { ...route, view: "pipeline" };
}

function go({ view, kind, ns, object }) {
  const parameters = new URLSearchParams();
  if (ns) parameters.set("ns", ns);
  if (object) parameters.set("o", object);
  const path = view === "kind" ? `/k/${kind}` : view === "changes" ? "/changes" : "/";
  location.hash = `${path}${parameters.size ? `?${parameters}` : ""}`;
}

const kindOf = (id) => page.kinds.find((kind) => kind.id === id);

// The toolbar: title, connection state and actions of the current view.
const bar = { title: h("h1", {}, ""), size: h("span", { class: "faint number" }), state: h("span", { class: "state-slot" }) };

function buildBar() {
  bar.filter = h("input", { class: "field", type: "search", placeholder: "Filter", "aria-label": "Filter", autocomplete: "off", spellcheck: "false",
    oninput: () => page.view?.setFilter?.(bar.filter.value) });
  bar.filter.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      bar.filter.value = "";
      page.view?.setFilter?.("");
      page.view?.focus?.();
      event.stopPropagation();
    } else if (event.key === "ArrowDown" || event.key === "Enter") {
      page.view?.focus?.();
      event.preventDefault();
    }
  });
  bar.filterBox = h("div", { class: "filter" }, icon("search"), bar.filter, h("kbd", { "aria-hidden": "true" }, "/"));
  bar.namespaces = h("select", { class: "field namespaces", "aria-label": "Namespace", onchange: chooseNamespace });
  bar.create = h("button", { class: "button primary create", type: "button", "aria-label": "New object", "data-role": "new", onclick: create }, icon("plus"), h("span", {}, "New"));
  bar.theme = h("button", { class: "button square quiet", type: "button", "aria-label": "Toggle dark mode", title: "Toggle dark mode", onclick: toggleTheme });
  bar.user = h("button", { class: "button quiet user", type: "button", hidden: true, "data-role": "user", onclick: () => userDialog(page.user) });
  const menu = h("button", { class: "button square quiet menu", type: "button", "aria-label": "Kinds", onclick: () => document.body.classList.toggle("nav-open") }, icon("menu"));
  replace(byId("bar"), menu, h("div", { class: "title" }, bar.title, bar.size), bar.state, h("span", { class: "grow" }), bar.namespaces, bar.filterBox, bar.create, bar.theme, bar.user);
  const drawTheme = () => replace(bar.theme, icon(isDark() ? "sun" : "moon"));
  addEventListener("themechange", drawTheme);
  drawTheme();
}

function drawNamespaces() {
  const names = page.namespaces.includes(page.route.ns) || !page.route.ns ? page.namespaces : [...page.namespaces, page.route.ns];
  replace(bar.namespaces, h("option", { value: "" }, "All namespaces"), names.map((name) => h("option", { value: name, selected: name === page.route.ns }, name)),
    mayPlain("list", "namespaces") ? null : h("option", { value: OTHER }, "Other namespace …"));
}

// Users who may not list namespaces know the names of theirs.
const askForNamespace = () => openDialog((close) => {
  const field = h("input", { class: "field", name: "namespace", autofocus: true, required: true, autocomplete: "off", spellcheck: "false" });
  const accept = (event) => {
    event.preventDefault();
    close(field.value.trim());
  };
  return h("form", { class: "dialog", onsubmit: accept, "aria-label": "Namespace" }, h("h2", {}, "Namespace"),
    h("label", { class: "label" }, "Name", field), h("div", { class: "actions" }, h("button", { class: "button primary", type: "submit" }, "Show")));
});

async function chooseNamespace() {
  const ns = bar.namespaces.value === OTHER ? await askForNamespace() : bar.namespaces.value;
  if (ns === null) drawNamespaces();
  else go({ ...page.route, ns, object: "" });
}

// The kinds that the user may list in the current namespace.
const listed = () => page.kinds.filter((kind) => may("list", kind, page.route.ns));

// Offers what the user may do in the current namespace.
function drawRights() {
  const { ns } = page.route;
  nav.setKinds(listed());
  bar.create.hidden = !page.kinds.some((kind) => kind.can("create") && may("create", kind, ns));
}

// Updates the element only when the state changes: screen readers announce every update.
function setState(state, error) {
  if (bar.state.dataset.state === state) return;
  bar.state.dataset.state = state;
  replace(bar.state, stateChip(state, error?.message));
}

function makeView(route) {
  const on = {
    state: setState,
    size: (shown, all) => { bar.size.textContent = shown === all ? count(all) : `${count(shown)} of ${count(all)}`; },
  };
  if (route.view === "changes")
    return new ChangesView(listed().filter((kind) => may("watch", kind, route.ns)), route.ns, { ...on, open: (kind, metadata) => openObject(kind, metadata) });
  const kind = kindOf(route.kind);
  if (kind) return new TableView(kind, route.ns, { ...on, open: (metadata) => openObject(kind, metadata) });
  if (mayGet(STATISTICS)) return new PipelineView(figures, on);
  setState("live");
  return { element: h("div", { class: "empty-note" }, h("strong", {}, `You are signed in as ${page.user.username}`),
    "Choose a kind, or a namespace in which you have rights."), stop() {} };
}

function openObject(kind, metadata) {
  const object = `${metadata.namespace || ""}/${metadata.name}`;
  go({ view: "kind", kind: kind.id, ns: page.route.view === "kind" ? page.route.ns : "", object });
}

function showPanel(route) {
  const kind = kindOf(route.kind);
  page.panel?.stop();
  page.panel = null;
  page.view.select?.(route.object);
  if (!kind || !route.object) return;
  const [, namespace, name] = /^([^/]*)\/(.*)$/.exec(route.object) || [];
  if (!name) return;
  page.panel = new ObjectPanel(kind, namespace, name, { close: closePanel });
  if (document.activeElement !== document.body) page.panel.focus();
}

function closePanel() {
  go({ ...page.route, object: "" });
  page.view.focus?.();
}

function render() {
  const before = page.route, route = page.route = readRoute();
  const isSameView = before && page.view && before.view === route.view && before.kind === route.kind && before.ns === route.ns;
  if (!isSameView) {
    page.view?.stop();
    bar.filter.value = "";
    bar.size.textContent = "";
    const kind = kindOf(route.kind);
    bar.title.textContent = route.view === "changes" ? "Changes" : kind ? kind.kind : mayGet(STATISTICS) ? "Pipeline" : "Welcome";
    document.title = `${bar.title.textContent} · listwatch`;
    bar.filterBox.hidden = route.view === "pipeline";
    bar.namespaces.hidden = (route.view === "pipeline" && mayGet(STATISTICS)) || Boolean(kind && !kind.isNamespaced);
    page.view = makeView(route);
    replace(byId("view"), page.view.element);
    document.body.classList.remove("nav-open");
  }
  drawNamespaces();
  nav.setRoute(route);
  drawRights();
  if (before?.ns !== route.ns) learn(route.ns).then(() => route === page.route && drawRights());
  if (!isSameView || before.object !== route.object) showPanel(route);
}

async function create() {
  if (bar.create.hidden) return;
  const mine = page.kinds.filter((kind) => may("create", kind, page.route.ns));
  const made = await createDialog(mine, kindOf(page.route.kind), page.route.ns);
  if (made) openObject(made.kind, made.metadata);
}

function onKey(event) {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || document.querySelector("dialog[open]");
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
    if (document.body.classList.contains("nav-open")) document.body.classList.remove("nav-open");
    else if (page.panel && !page.panel.editor) closePanel();
    return;
  }
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && !bar.filterBox.hidden) bar.filter.focus();
  else if (event.key === "n") create();
  else return;
  event.preventDefault();
}

// Watches CustomResourceDefinitions and namespaces, and updates the lists of kinds and namespaces.
function followKinds() {
  const rediscover = async () => {
    page.kinds = await discover();
    drawRights();
    if (page.route.view === "kind" && !(page.view instanceof TableView) && kindOf(page.route.kind)) {
      page.route = null;
      render();
    }
  };
  let timer;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => rediscover().catch(() => soon()), 300);
  };
  const definitions = page.kinds.find((kind) => kind.plural === "customresourcedefinitions");
  if (definitions && may("list", definitions) && may("watch", definitions)) new Live({ name: "definitions", path: definitions.path(""), skipsList: true }, { onEvent: soon, onReset: soon }).start();
  const names = new Set();
  const tell = () => {
    page.namespaces = [...names].sort();
    drawNamespaces();
  };
  if (!mayPlain("list", "namespaces") || !mayPlain("watch", "namespaces")) return;
  new Live({ name: "namespaces", path: "/api/v1/namespaces" }, {
    onReset: (items) => {
      names.clear();
      items.forEach((item) => names.add(item.metadata.name));
      tell();
    },
    onEvent: (type, object) => {
      if (type === "DELETED") names.delete(object.metadata.name);
      else names.add(object.metadata.name);
      tell();
    },
  }).start();
}

async function begin() {
  onUnauthorized(askForToken);
  buildBar();
  setState("loading");
  addEventListener("hashchange", () => isLink() && location.reload());
  await useLink();
  for (let wait = 250; ; wait = Math.min(wait * 2, 4000)) {
    try {
      page.kinds = await discover();
      page.user = await whoAmI();
      await Promise.all([learn(""), learn(readRoute().ns)]);
      break;
    } catch (error) {
      setState("reconnecting", error);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  replace(bar.user, icon("user"), h("span", {}, page.user.username));
  bar.user.title = `Signed in as ${page.user.username}`;
  bar.user.hidden = false;
  nav.hasPipeline = mayGet(STATISTICS);
  if (nav.hasPipeline) {
    figures.subscribe(() => figures.now && nav.setCounts(figures.now.resources));
    figures.start();
  }
  addEventListener("hashchange", render);
  addEventListener("keydown", onKey);
  byId("nav").addEventListener("click", (event) => event.target.closest("a") && document.body.classList.remove("nav-open"));
  render();
  followKinds();
}

begin();

// SPDX-License-Identifier: Apache-2.0
// create.js -- the dialog that creates an object from a template.

import { request } from "./api.js";
import { h } from "./dom.js";
import { typeOf } from "./editor.js";
import { openDialog, toast } from "./ui.js";
import { yamlText } from "./yaml.js";

const app = (name) => ({ app: name });
const container = { name: "web", image: "nginx:1.27", ports: [{ containerPort: 80 }] };

const TEMPLATES = {
  ConfigMap: { data: { greeting: "hello" } },
  Secret: { type: "Opaque", stringData: { password: "change-me" } },
  Namespace: {},
  Pod: { spec: { containers: [container] } },
  Deployment: { spec: { replicas: 2, selector: { matchLabels: app("web") },
    template: { metadata: { labels: app("web") }, spec: { containers: [container] } } } },
  Service: { spec: { selector: app("web"), ports: [{ port: 80, targetPort: 80 }] } },
  Job: { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "once", image: "busybox", command: ["true"] }] } } } },
};

function template(kind, namespace) {
  const metadata = { name: `my-${kind.kind.toLowerCase()}` };
  if (kind.isNamespaced) metadata.namespace = namespace || "default";
  return yamlText({ apiVersion: kind.apiVersion, kind: kind.kind, metadata, ...(TEMPLATES[kind.kind] || { spec: {} }) });
}

// Reads apiVersion, kind and namespace from the text, which determine the URL of the request.
function addressOf(text) {
  if (typeOf(text) === "application/json") {
    const object = JSON.parse(text);
    return { apiVersion: object.apiVersion, kind: object.kind, namespace: object.metadata?.namespace };
  }
  const word = (pattern) => (pattern.exec(text)?.[1] || "").replace(/^["']|["']$/g, "");
  return { apiVersion: word(/^apiVersion:\s*(\S+)/m), kind: word(/^kind:\s*(\S+)/m),
    namespace: word(/^metadata:\s*\n(?:[ #].*\n)*?[ ]+namespace:\s*(\S+)/m) };
}

// Resolves to { kind, metadata } of the created object, or null.
export function createDialog(kinds, current, namespace) {
  const choices = kinds.filter((kind) => kind.can("create") && (TEMPLATES[kind.kind] || kind === current));
  const start = choices.find((kind) => kind === current) || choices[0];
  return openDialog((close) => {
    const area = h("textarea", { class: "field create-text", spellcheck: "false", autocapitalize: "off", "aria-label": "Object as YAML", autofocus: true });
    const error = h("p", { class: "error", role: "alert" });
    const show = (kind) => {
      area.value = template(kind, namespace);
      area.setSelectionRange(0, 0);
      area.scrollTop = 0;
    };
    const choose = h("select", { class: "field", onchange: () => show(choices[choose.selectedIndex]) },
      choices.map((kind) => h("option", { selected: kind === start }, kind.kind)));
    show(start);
    const submit = async (event) => {
      event?.preventDefault();
      try {
        const said = addressOf(area.value);
        const kind = kinds.find((one) => one.kind === said.kind && one.apiVersion === said.apiVersion);
        if (!kind) throw new Error(`the server has no kind “${said.kind}” in “${said.apiVersion}”: check apiVersion and kind`);
        const path = kind.path(kind.isNamespaced ? said.namespace || namespace || "default" : "");
        const made = await request("POST", path, { body: area.value, type: typeOf(area.value) });
        toast(`${kind.kind} ${made.metadata.name} created`);
        close({ kind, metadata: made.metadata });
      } catch (problem) {
        error.textContent = problem.message;
      }
    };
    area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
    });
    return h("form", { class: "dialog", onsubmit: submit, "aria-label": "New object" },
      h("h2", {}, "New object"), h("label", { class: "label" }, "Template", choose), area, error,
      h("div", { class: "actions" },
        h("button", { class: "button", type: "button", onclick: () => close(null) }, "Cancel"),
        h("button", { class: "button primary", type: "submit", "data-role": "create" }, "Create")));
  }, { isWide: true });
}

// SPDX-License-Identifier: Apache-2.0
// api.js -- requests to the server of this page: token, errors, discovery, WebSockets.

const TOKEN = "listwatch.token";
export const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
export const PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
export const PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const DISCOVERY = "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io";

const FORBIDDEN = /User "([^"]*)" cannot (\S+) (?:resource|path) "([^"]*)"(?:.* in the namespace "([^"]*)"|.* (at the cluster scope))?/;

// What a 403 says, as a sentence: "You (jane) may not delete pods in the namespace default."
function sentence(message) {
  const [, user, verb, what, namespace, isGlobal] = FORBIDDEN.exec(message) || [];
  if (!user) return message;
  const where = namespace ? ` in the namespace ${namespace}` : isGlobal ? " in the whole cluster" : "";
  return `You (${user}) may not ${verb} ${what}${where}.`;
}

// An error reply of the server.
export class Refusal extends Error {
  constructor(code, status) {
    const message = status?.message || `the server replied with status ${code}`;
    super(code === 403 ? sentence(message) : message);
    this.code = code;
    this.reason = status?.reason || "";
  }
}

export const token = () => sessionStorage.getItem(TOKEN) || "";

export function setToken(text) {
  if (text) sessionStorage.setItem(TOKEN, text);
  else sessionStorage.removeItem(TOKEN);
}

let asking = null;
let ask = null;

// Sets the function that asks the user for a token; its promise resolves when there is one.
export function onUnauthorized(fn) {
  ask = fn;
}

function askOnce() {
  asking = asking || ask(Boolean(token())).finally(() => { asking = null; });
  return asking;
}

async function read(reply) {
  const text = await reply.text();
  const isJson = (reply.headers.get("Content-Type") || "").startsWith("application/json");
  let body = text;
  if (isJson) {
    try {
      body = JSON.parse(text);
    } catch {
      throw new Refusal(reply.status, { message: "the server's answer broke off" });
    }
  }
  if (!reply.ok) throw new Refusal(reply.status, isJson ? body : { message: text.trim() });
  return body;
}

// Whether the server does not know who asks: 401, or 403 for the anonymous user.
async function isAnonymous(reply) {
  return reply.status === 401 ||
    (reply.status === 403 && (await reply.clone().text()).includes("system:anonymous"));
}

// Sends one request; resolves to the JSON, rejects with a Refusal or with a network error.  If the
// server does not know who asks, it asks the user for a token and tries again.
export async function request(method, path, { accept, body, type, signal } = {}) {
  for (;;) {
    const sent = token();
    const headers = { Accept: accept || "application/json" };
    if (sent) headers.Authorization = `Bearer ${sent}`;
    if (body !== undefined) headers["Content-Type"] = type || "application/json";
    const reply = await fetch(path, { method, headers, body, signal, cache: "no-store" });
    if (!(await isAnonymous(reply))) return read(reply);
    if (sent === token()) await askOnce();
  }
}

export const get = (path, options) => request("GET", path, options);

function base64url(text) {
  const raw = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// Opens a watch over a WebSocket.  A page cannot set headers on a WebSocket, so the token is sent as
// a subprotocol and the accepted media type as a query parameter.
export function openWatch(path, parameters, accept) {
  const query = new URLSearchParams({ ...parameters, watch: "1" });
  if (accept) query.set("accept", accept);
  const url = new URL(`${path}?${query}`, location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const protocols = ["base64.binary.k8s.io"];
  if (token()) protocols.unshift(`base64url.bearer.authorization.k8s.io.${base64url(token())}`);
  return new WebSocket(url, protocols);
}

// A kind that can be listed: its names, its verbs and the paths of its objects.
export class Kind {
  constructor(group, version, resource) {
    this.group = group;
    this.version = version;
    this.plural = resource.resource;
    this.kind = resource.responseKind.kind;
    this.isNamespaced = resource.scope === "Namespaced";
    this.verbs = new Set(resource.verbs);
    this.apiVersion = group ? `${group}/${version}` : version;
    this.id = group ? `${this.plural}.${version}.${group}` : `${this.plural}.${version}`;
  }

  path(namespace) {
    const root = this.group ? `/apis/${this.group}/${this.version}` : `/api/${this.version}`;
    const inside = this.isNamespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
    return `${root}${inside}/${this.plural}`;
  }

  objectPath(namespace, name) {
    return `${this.path(namespace)}/${encodeURIComponent(name)}`;
  }

  can(verb) {
    return this.verbs.has(verb);
  }
}

function kindsOf(list) {
  const kinds = [];
  for (const group of list.items) {
    const seen = new Set();
    for (const version of group.versions) { // the preferred version comes first
      for (const resource of version.resources) {
        if (seen.has(resource.resource) || !resource.verbs.includes("list")) continue;
        seen.add(resource.resource);
        kinds.push(new Kind(group.metadata.name || "", version.version, resource));
      }
    }
  }
  return kinds;
}

// Discovers all kinds that can be listed, each in its preferred version.
export async function discover() {
  const lists = await Promise.all(["/api", "/apis"].map((path) => get(`${path}?pretty=0`, { accept: DISCOVERY })));
  return lists.flatMap(kindsOf);
}

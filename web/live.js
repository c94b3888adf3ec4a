// SPDX-License-Identifier: Apache-2.0
// live.js -- a list that is kept up to date by a watch, like a reflector.
//
//     list ──▶ watch ──closed──▶ (backoff) ──▶ watch after the last revision
//      ▲         └──410, or the server's revision is older───┐
//      └────────────────────────────────────────────────────┘
//
// States passed to onState: loading, live, reconnecting, stale (not connected for STALE_MS), failed.

import { get, openWatch, Refusal } from "./api.js";

const PAGE = 500;
const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 4000;
const STALE_MS = 8000;
const SILENCE_MS = 100000; // bookmarks are sent every minute: after this time the connection is dead

const CONNECTING_MAX = 6; // browsers throttle a page that opens many sockets at once

const all = new Set();
const turnstile = { inside: 0, waiting: [] };

async function enter() {
  if (turnstile.inside >= CONNECTING_MAX) await new Promise((resolve) => turnstile.waiting.push(resolve));
  else turnstile.inside++;
}

function leave() {
  const next = turnstile.waiting.shift();
  if (next) next();
  else turnstile.inside--;
}

// The running instances, for the pipeline view.
export const running = () => [...all];

export class Live {
  // sink: onReset(items, more, list), onEvent(type, item, object), onState(state, error).
  // items are rows if |accept| is a Table, otherwise objects.  |listAccept| is the media type of the
  // list if it differs from that of the watch.  |skipsList|: report only future changes.
  constructor({ name, path, accept, listAccept, limit, skipsList, parameters }, sink) {
    Object.assign(this, { name, path, accept, listAccept: listAccept || accept, limit: limit || Infinity, skipsList, sink });
    this.parameters = parameters || {};
    this.state = "loading";
    this.revision = "";
    this.events = this.lists = this.watches = 0;
    this.lastByte = 0;
    this.retry = RETRY_MIN_MS;
    this.wakers = new Set();
  }

  start() {
    all.add(this);
    this.run();
    return this;
  }

  stop() {
    this.isStopped = true;
    all.delete(this);
    this.abort?.abort();
    if (this.socket?.readyState === WebSocket.CONNECTING) this.socket.onopen = () => this.socket.close();
    else this.socket?.close();
    this.wake();
  }

  // Ends a backoff early, because the network is back or the page is visible again.
  wake() {
    for (const waker of this.wakers) waker();
  }

  setState(state, error) {
    if (this.isStopped) return;
    if (state === "reconnecting") {
      if (this.state === "reconnecting" || this.state === "stale") return;
      this.staleTimer = setTimeout(() => this.setState("stale", error), STALE_MS);
    } else {
      clearTimeout(this.staleTimer);
    }
    this.state = state;
    this.sink.onState?.(state, error);
  }

  async run() {
    let needsList = true;
    while (!this.isStopped) {
      try {
        if (needsList) await this.list();
        needsList = false;
        const end = await this.watch();
        if (this.isStopped) return;
        if (end === "expired") needsList = true;
        else await this.pause(end);
        if (end === "lost" && !needsList) needsList = await this.isOlder();
      } catch (error) {
        if (this.isStopped) return;
        const isFinal = error instanceof Refusal && (error.code === 404 || error.code === 403);
        this.setState(isFinal ? "failed" : "reconnecting", error);
        await this.pause(isFinal ? "failed" : "lost");
        needsList = needsList || isFinal;
      }
    }
  }

  // After a lost connection: true if the server's revision is older than ours, because the server
  // was started with an empty store.  A watch from our revision would then miss changes.
  async isOlder() {
    const page = await get(`${this.path}?limit=1&pretty=0`, { accept: this.listAccept });
    return BigInt(page.metadata.resourceVersion || 0) < BigInt(this.revision || 0);
  }

  async list() {
    if (this.state !== "live" && this.state !== "loading") this.setState("reconnecting");
    for (;;) {
      try {
        return await this.listPages();
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 410) throw error;
        await this.pause("lost"); // the pages expired while they were read
      }
    }
  }

  async listPages() {
    const items = [];
    let next = "", more = 0, first = null;
    this.abort = new AbortController();
    do {
      const query = new URLSearchParams({ ...this.parameters, pretty: "0", limit: this.skipsList ? 1 : PAGE });
      if (next) query.set("continue", next);
      const page = await get(`${this.path}?${query}`, { accept: this.listAccept, signal: this.abort.signal });
      first = first || page;
      if (!this.skipsList) items.push(...(page.rows || page.items || []));
      this.revision = page.metadata.resourceVersion;
      next = page.metadata.continue || "";
      more = next ? page.metadata.remainingItemCount || 1 : 0;
    } while (next && !this.skipsList && items.length < this.limit);
    if (this.isStopped) return;
    this.lists++;
    this.lastByte = Date.now();
    this.sink.onReset?.(items, this.skipsList ? 0 : more, first);
  }

  // Resolves to the reason why the watch ended: expired, lost (connection error), ended (by the server).
  async watch() {
    await enter();
    if (this.isStopped) return leave();
    return new Promise((resolve) => {
      const parameters = { ...this.parameters, allowWatchBookmarks: "1", resourceVersion: this.revision };
      const socket = this.socket = openWatch(this.path, parameters, this.accept);
      let end = "lost", silence;
      const through = () => {
        if (socket.isThrough) return;
        socket.isThrough = true;
        leave();
      };
      const heard = () => {
        this.lastByte = Date.now();
        clearTimeout(silence);
        silence = setTimeout(() => socket.close(), SILENCE_MS);
      };
      socket.addEventListener("open", through);
      socket.onopen = () => {
        this.watches++;
        this.retry = RETRY_MIN_MS;
        heard();
        this.setState("live");
      };
      socket.onmessage = (message) => {
        heard();
        const event = JSON.parse(message.data);
        if (event.type !== "ERROR") return this.take(event);
        end = event.object.code === 410 ? "expired" : "lost";
        socket.close();
      };
      socket.onclose = (closed) => {
        through();
        clearTimeout(silence);
        resolve(end === "lost" && closed.wasClean && closed.code === 1000 ? "ended" : end);
      };
    });
  }

  take({ type, object }) {
    const item = object.kind === "Table" ? object.rows?.[0] : object;
    const metadata = object.kind === "Table" ? item?.object?.metadata || object.metadata : object.metadata;
    this.revision = metadata?.resourceVersion || this.revision;
    if (type === "BOOKMARK" || !item) return;
    this.events++;
    this.sink.onEvent?.(type, item, object);
  }

  pause(end) {
    if (end !== "ended" && end !== "failed") this.setState("reconnecting");
    const ms = end === "ended" ? 50 : this.retry * (0.5 + Math.random() / 2);
    if (end !== "ended") this.retry = Math.min(this.retry * 2, RETRY_MAX_MS);
    return new Promise((resolve) => {
      const waker = () => {
        clearTimeout(timer);
        this.wakers.delete(waker);
        resolve();
      };
      const timer = setTimeout(waker, ms);
      this.wakers.add(waker);
    });
  }
}

const wakeAll = () => all.forEach((live) => live.wake());
addEventListener("online", wakeAll);
document.addEventListener("visibilitychange", () => document.hidden || wakeAll());

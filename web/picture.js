// SPDX-License-Identifier: Apache-2.0
// picture.js -- a diagram of the pipeline: writes, the store, the events of the watch cache and the
// watchers.  It is horizontal on a wide page and vertical on a narrow one.

import { h, replace, svg } from "./dom.js";
import { percentile } from "./figures.js";
import { bytes, count, micros, short } from "./format.js";
import { running } from "./live.js";

const PILLS_MAX = 7;
const SEGMENTS_MAX = 6;
const RADIUS = 74;
const SPARK = 30; // seconds shown in the sparkline
const PILL_LETTERS = 26;
const BROWSER = "browser";

// Groups watches of the same program on the same resource.
export function groupWatchers(watchers) {
  const groups = new Map();
  for (const watcher of watchers) {
    const agent = programOf(watcher.user_agent);
    const key = `${watcher.resource}\u0000${agent}`;
    const group = groups.get(key) || { key, agent, resource: watcher.resource, count: 0, lag: 0, pending: 0 };
    group.count++;
    group.lag = Math.max(group.lag, watcher.lag);
    group.pending += watcher.pending_bytes;
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.lag - a.lag || (a.agent === BROWSER) - (b.agent === BROWSER) || b.count - a.count || a.resource.localeCompare(b.resource));
}

// "kubectl/v1.34 (linux/amd64) ..." is kubectl; every browser sends Mozilla.
export function programOf(agent) {
  if (!agent) return "unnamed";
  if (agent.startsWith("Mozilla/")) return BROWSER;
  return agent.split(/[/ ]/)[0];
}

// The informer behind a watch: one of this page, or one reported by a program of the same name.
function informerOf(group, reported) {
  if (group.agent === BROWSER) {
    const own = running().find((live) => live.path.endsWith(`/${group.resource}`));
    return own && { state: own.state };
  }
  const found = reported.find((one) => one.resource.split(".")[0] === group.resource && programOf(one.reporter) === group.agent);
  return found && { state: found.is_synced ? "live" : "loading" };
}

const toneOfLag = (lag) => (lag === 0 ? "good" : lag < 1000 ? "warn" : "bad");

export class Picture {
  constructor() {
    this.element = h("div", { class: "picture" });
    this.watcher = new ResizeObserver(() => this.layout());
    this.watcher.observe(this.element);
    this.groups = [];
  }

  stop() {
    this.watcher.disconnect();
  }

  // Rebuilds the diagram when the orientation or the set of watchers changes; numbers are updated in place.
  layout() {
    const isTall = this.element.clientWidth < 700;
    const keys = this.groups.map((group) => group.key).join("\u0001");
    const shape = `${isTall} ${keys}`;
    if (this.shape === shape) return;
    this.shape = shape;
    this.isTall = isTall;
    this.build();
    if (this.figures) this.update(this.figures);
  }

  places() {
    const pills = Math.max(1, this.groups.length);
    if (this.isTall) {
      const top = 476;
      return { width: 360, height: top + pills * 48, writes: [2, 4, 356, 92], store: [2, 132, 356, 92], ring: [180, 346],
        pill: (at) => [2, top + at * 48, 356], edges: [["M180 96V132"], ["M180 224V260"]],
        delivery: [194, 456, "note"], branch: (at) => `M180 ${346 + RADIUS + 12}V${top + at * 48}` };
    }
    const height = Math.max(250, pills * 46 + 24), middle = height / 2;
    const first = middle - (pills * 46 - 8) / 2;
    return { width: 1080, height, writes: [4, middle - 46, 176, 92], store: [250, middle - 54, 190, 108], ring: [594, middle],
      pill: (at) => [776, first + at * 46, 300], edges: [[`M180 ${middle}H250`], [`M440 ${middle}H${594 - RADIUS - 12}`]],
      delivery: [594, middle + RADIUS + 34, "note", "middle"],
      branch: (at) => {
        const y = first + at * 46 + 19, x = 594 + RADIUS + 12;
        return `M${x} ${middle}C${x + 50} ${middle} ${776 - 54} ${y} 776 ${y}`;
      } };
  }

  build() {
    const p = this.places();
    const drawing = svg("svg", { viewBox: `0 0 ${p.width} ${p.height}`, role: "img", "aria-label": "Writes go to the store, from there to the watch cache, and to its watchers" });
    this.texts = {};
    const text = (name, x, y, look, anchor) => (this.texts[name] = svg("text", { x, y, class: look, "text-anchor": anchor || "start" }));
    const edges = p.edges.map(([d]) => [svg("path", { d, class: "edge" }), svg("path", { d, class: "flow" })]);
    this.flows = edges.map(([, flow]) => flow);
    const branches = this.groups.map((_, at) => (this.isTall && at > 0 ? [] : [svg("path", { d: p.branch(at), class: "edge" }), svg("path", { d: p.branch(at), class: "flow" })]));
    this.flows.push(...branches.map((pair) => pair[1]).filter(Boolean));
    const box = ([x, y, width, height]) => svg("rect", { x, y, width, height, rx: 14, class: "box" });
    this.spark = svg("path", { class: "spark" });
    this.sparkAt = [p.writes[0] + p.writes[2] - 96, p.writes[1] + 26, 80, p.writes[3] - 52];
    const [wx, wy] = p.writes, [sx, sy] = p.store, [cx, cy] = p.ring;
    this.center = p.ring;
    this.segments = svg("g");
    drawing.append(...edges.flat(), ...branches.flat(),
      box(p.writes), label(wx + 16, wy + 25, "Writes"), text("writes", wx + 16, wy + 55, "figure"), text("writesUnit", wx + 16, wy + 76, "note"), this.spark,
      box(p.store), label(sx + 16, sy + 25, "Store"), text("revision", sx + 16, sy + 55, "figure"), text("store", sx + 16, sy + 76, "note"), text("compacted", sx + 16, sy + 94, "note"),
      svg("circle", { cx, cy, r: RADIUS, class: "track" }), this.segments,
      text("events", cx, cy, "figure", "middle"), svg("text", { x: cx, y: cy + 19, class: "note", "text-anchor": "middle" }, "cached events"),
      text("fill", cx, cy + 36, "note", "middle"), svg("text", { x: cx, y: cy - 31, class: "label", "text-anchor": "middle" }, "Cache"),
      text("delivery", ...p.delivery));
    if (this.isTall) this.texts.compacted.remove();
    this.pills = this.groups.map((group, at) => this.pill(p.pill(at), group));
    if (this.groups.length === 0) {
      const [x, y] = p.pill(0);
      drawing.append(svg("text", { x: x + 4, y: y + 24, class: "note" }, "No watches"));
    }
    drawing.append(...this.pills.map((pill) => pill.element));
    replace(this.element, drawing);
  }

  pill([x, y, width], group) {
    const lag = svg("text", { x: x + width - 14, y: y + 24, class: "pill-lag", "text-anchor": "end" });
    const rect = svg("rect", { x, y, width, height: 38, rx: 19, class: "pill" });
    const name = svg("text", { x: x + 31, y: y + 24, class: "pill-name" });
    const title = svg("title");
    const dot = svg("circle", { cx: x + 19, cy: y + 19, r: 4.5 }, title);
    const resource = cut(group.resource, PILL_LETTERS - 9);
    name.append(resource, svg("tspan", { class: "pill-agent", dx: 8 }, cut(group.agent, PILL_LETTERS - resource.length)));
    return { element: svg("g", {}, rect, dot, name, lag), rect, lag, dot, title };
  }

  update(figures) {
    this.figures = figures;
    const { now } = figures;
    this.groups = groupWatchers(now.watchers).slice(0, PILLS_MAX);
    this.layout();
    if (!this.texts) return;
    const rate = figures.writes;
    this.say("writes", rate < 10 ? rate.toFixed(1) : count(rate));
    this.say("writesUnit", "per second");
    this.say("revision", count(now.store.revision));
    this.say("store", `revision · ${bytes(now.store.bytes)}`);
    this.say("compacted", `compacted up to ${count(now.store.compacted_revision)}`);
    this.say("events", short(now.resources.reduce((sum, one) => sum + one.ring_events, 0)));
    const fullest = now.resources.reduce((most, one) => Math.max(most, one.ring_events), 0) / now.cache.ring_capacity;
    this.say("fill", `${(fullest * 100).toFixed(fullest < 0.1 ? 2 : 0)} % full`);
    const p99 = percentile(figures.latencies, 0.99);
    this.say("delivery", p99 === null ? "" : `p99 to the socket ${micros(p99)}`);
    this.flows.forEach((flow) => {
      flow.classList.toggle("moves", rate > 0.05);
      flow.style.setProperty("--pace", `${Math.max(0.35, 3 - Math.log10(1 + rate))}s`);
    });
    this.drawSpark(figures.rates);
    this.drawRing(now.resources);
    this.groups.forEach((group, at) => {
      const { lag, rect } = this.pills[at];
      lag.textContent = `${group.count > 1 ? `×${group.count}  ` : ""}${group.lag === 0 ? "up to date" : `${short(group.lag)} behind`}`;
      rect.setAttribute("class", `pill ${toneOfLag(group.lag)}`);
      this.drawInformer(this.pills[at], informerOf(group, now.informers));
    });
  }

  // Shows the state of the watch's informer, if it is known.
  drawInformer({ dot, title }, informer) {
    dot.setAttribute("class", `informer ${informer ? informer.state : "unknown"}`);
    title.textContent = informer ? `informer: ${informer.state}` : "no informer reported";
  }

  say(name, text) {
    if (this.texts[name].textContent !== text) this.texts[name].textContent = text;
  }

  drawSpark(rates) {
    const [x, y, width, height] = this.sparkAt;
    const top = Math.max(1, ...rates);
    const last = rates.slice(-SPARK);
    const points = last.map((rate, at) => `${(x + width - ((last.length - 1 - at) / (SPARK - 1)) * width).toFixed(1)} ${(y + height - (rate / top) * height).toFixed(1)}`);
    this.spark.setAttribute("d", points.length > 1 ? `M${points.join("L")}` : "");
  }

  // The ring, divided by the number of events of each resource.
  drawRing(resources) {
    const parts = resources.filter((one) => one.ring_events > 0).sort((a, b) => b.ring_events - a.ring_events);
    const total = parts.reduce((sum, one) => sum + one.ring_events, 0);
    const around = 2 * Math.PI * RADIUS;
    const [cx, cy] = this.center;
    let begun = 0;
    replace(this.segments, parts.slice(0, SEGMENTS_MAX).map((one, at) => {
      const share = (one.ring_events / total) * around;
      const gap = parts.length > 1 && share > 8 ? 3 : 0;
      const segment = svg("circle", { cx, cy, r: RADIUS, class: `segment tint-${at}`, transform: `rotate(-90 ${cx} ${cy})`,
        "stroke-dasharray": `${Math.max(1, share - gap).toFixed(1)} ${around.toFixed(1)}`, "stroke-dashoffset": (-begun).toFixed(1) },
      svg("title", {}, `${one.resource}: ${count(one.ring_events)} events`));
      begun += share;
      return segment;
    }));
  }
}

const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const label = (x, y, text) => svg("text", { x, y, class: "label" }, text);

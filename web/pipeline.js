// SPDX-License-Identifier: Apache-2.0
// pipeline.js -- the overview of the server: the diagram and the cards with latencies, cached events,
// watchers and informers.

import { h, replace, svg } from "./dom.js";
import { age, bytes, count, micros, short } from "./format.js";
import { percentile } from "./figures.js";
import { running } from "./live.js";
import { Picture, programOf } from "./picture.js";
import { chip, stateChip } from "./ui.js";

const RINGS_MAX = 8;
const WATCHERS_MAX = 12;
const INFORMERS_MAX = 40;

export class PipelineView {
  // on: state(state, error).
  constructor(figures, on) {
    this.on = on;
    this.picture = new Picture();
    this.tiles = h("div", { class: "tiles" });
    this.rings = h("div");
    this.latency = h("div");
    this.watchers = h("div");
    this.informers = h("div");
    const card = (title, about, body) => h("section", { class: "card" }, h("h2", {}, title), h("p", { class: "about" }, about), body);
    this.element = h("div", { class: "pipeline" }, this.tiles,
      h("section", { class: "card wide" }, h("h2", {}, "From write to watch"), this.picture.element),
      h("div", { class: "cards" },
        card("Delivery latency", "Time from the commit of a change until it is passed to a watcher's connection.", this.latency),
        card("Cached events", "Recent changes of each resource in the watch cache; a watch can start from any of them.", this.rings),
        card("Watchers", "Open watches and how many revisions each is behind.", this.watchers),
        card("Informers", "Client caches of this server: those of this page and those that report to the server.", this.informers)));
    this.unsubscribe = figures.subscribe((now) => this.update(now));
  }

  stop() {
    this.unsubscribe();
    this.picture.stop();
  }

  update(figures) {
    this.on.state(figures.error ? "reconnecting" : "live", figures.error);
    if (!figures.now) return;
    this.picture.update(figures);
    this.drawTiles(figures);
    this.drawRings(figures.now);
    this.drawLatency(figures);
    this.drawWatchers(figures.now);
    this.drawInformers(figures.now);
  }

  drawTiles(figures) {
    const { now } = figures;
    const worst = now.watchers.reduce((most, watcher) => Math.max(most, watcher.lag), 0);
    const p99 = percentile(figures.latencies, 0.99);
    const tile = (title, value, note) => h("div", { class: "tile" }, h("span", { class: "tile-title" }, title),
      h("strong", { class: "number" }, value), h("span", { class: "tile-note" }, note));
    replace(this.tiles,
      tile("Writes per second", figures.writes < 10 ? figures.writes.toFixed(1) : count(figures.writes), `revision ${count(now.store.revision)}`),
      tile("Objects", short(now.resources.reduce((sum, one) => sum + one.objects, 0)), `${bytes(now.resources.reduce((sum, one) => sum + one.object_bytes, 0))} cached`),
      tile("Watchers", count(now.watchers_total), worst === 0 ? "all up to date" : `up to ${short(worst)} revisions behind`),
      tile("Delivery p99", p99 === null ? "–" : micros(p99), `${count(figures.deliveries)} events per second`));
  }

  drawRings(now) {
    const parts = now.resources.filter((one) => one.ring_events > 0).sort((a, b) => b.ring_events - a.ring_events);
    if (parts.length === 0) return replace(this.rings, h("p", { class: "faint" }, "No changes yet."));
    const most = parts[0].ring_events;
    return replace(this.rings, h("ul", { class: "bars" }, parts.slice(0, RINGS_MAX).map((one, at) => {
      const bar = h("i", { class: `meter tint-${Math.min(at, 6)}` });
      bar.style.width = `${Math.max(1, (one.ring_events / most) * 100)}%`;
      const fill = (one.ring_events / now.cache.ring_capacity) * 100;
      return h("li", { title: `oldest revision ${count(one.oldest_revision)}; ${fill.toFixed(2)} % of ${count(now.cache.ring_capacity)} entries used` },
        h("span", { class: "bar-name" }, one.resource), h("span", { class: "bar-track" }, bar),
        h("span", { class: "bar-value number" }, `${short(one.ring_events)} · ${bytes(one.ring_bytes)}`));
    })), parts.length > RINGS_MAX ? h("p", { class: "faint" }, `and ${parts.length - RINGS_MAX} more`) : null);
  }

  drawLatency(figures) {
    const buckets = figures.latencies;
    if (buckets.length === 0) return replace(this.latency, h("p", { class: "faint" }, "No events delivered yet."));
    // One bar per power of two.
    const octaves = new Map();
    for (const [upper, number] of buckets) {
      const octave = Math.ceil(Math.log2(upper));
      octaves.set(octave, (octaves.get(octave) || 0) + number);
    }
    const first = Math.min(...octaves.keys()) - 1, last = Math.max(...octaves.keys()) + 1;
    const most = Math.max(...octaves.values()), width = 320 / (last - first + 1);
    const bars = [];
    for (let octave = first; octave <= last; octave++) {
      const tall = Math.max(octaves.has(octave) ? 2 : 0, ((octaves.get(octave) || 0) / most) * 84);
      const x = (octave - first) * width;
      bars.push(svg("rect", { x: (x + 1.5).toFixed(1), y: (90 - tall).toFixed(1), width: Math.max(1, width - 3).toFixed(1), height: tall.toFixed(1), rx: 3, class: "histogram" },
        svg("title", {}, `up to ${micros(2 ** octave)}: ${count(octaves.get(octave) || 0)}`)));
      const middle = x + width / 2;
      if (middle > 20 && middle < 296 && (last - octave) % Math.ceil((last - first + 1) / 6) === 0)
        bars.push(svg("text", { x: (x + width / 2).toFixed(1), y: 106, class: "tick", "text-anchor": "middle" }, micros(2 ** octave)));
    }
    const mark = (name, share) => h("div", {}, h("span", { class: "faint" }, name), h("strong", { class: "number" }, micros(percentile(buckets, share))));
    return replace(this.latency, svg("svg", { viewBox: "0 0 320 112", class: "chart", role: "img", "aria-label": "Histogram of delivery latencies" },
      svg("path", { d: "M0 90.5H320", class: "axis" }), bars),
    h("div", { class: "marks" }, mark("p50", 0.5), mark("p90", 0.9), mark("p99", 0.99)));
  }

  drawWatchers(now) {
    const sorted = [...now.watchers].sort((a, b) => b.lag - a.lag || b.pending_bytes - a.pending_bytes || a.age_ms - b.age_ms);
    if (sorted.length === 0) return replace(this.watchers, h("p", { class: "faint" }, "No open watches."));
    return replace(this.watchers, h("ul", { class: "rows" }, sorted.slice(0, WATCHERS_MAX).map((one) => h("li", {},
      h("span", { class: "row-name" }, one.resource, one.namespace ? h("span", { class: "faint" }, ` in ${one.namespace}`) : null),
      h("span", { class: "row-note" }, `${programOf(one.user_agent)} · ${one.protocol} · ${age(one.age_ms)}${one.pending_bytes ? ` · ${bytes(one.pending_bytes)} queued` : ""}`),
      one.lag === 0 ? chip("up to date", "good") : chip(`${short(one.lag)} behind`, one.lag < 1000 ? "warn" : "bad")))),
    now.watchers_total > WATCHERS_MAX ? h("p", { class: "faint" }, `and ${count(now.watchers_total - Math.min(WATCHERS_MAX, sorted.length))} more`) : null);
  }

  drawInformers(now) {
    const own = running().map((live) => ({ name: live.name, who: "this page", state: live.state,
      note: `${count(live.events)} events · ${live.lists} list${live.lists === 1 ? "" : "s"} · revision ${live.revision || "–"}` }));
    const reported = now.informers.map((one) => ({ name: one.resource, who: one.reporter,
      state: one.age_ms > 5000 ? "stale" : one.is_synced ? "live" : "loading",
      note: `${count(one.objects || 0)} objects · ${one.relists || 0} relists · revision ${one.revision || "–"}` }));
    const rows = [...reported, ...own].slice(0, INFORMERS_MAX);
    replace(this.informers, rows.length === 0
      ? h("p", { class: "faint" }, "None. Open a kind to start an informer in this page.")
      : h("ul", { class: "rows" }, rows.map((one) => h("li", {},
        h("span", { class: "row-name" }, one.name, h("span", { class: "faint" }, ` ${one.who}`)),
        h("span", { class: "row-note" }, one.note), stateChip(one.state)))));
  }
}

// SPDX-License-Identifier: Apache-2.0
// figures.js -- the server's statistics, polled once per second while the page is visible, and the
// rates and latencies computed from two consecutive samples.

import { get } from "./api.js";

const EVERY_MS = 1000;
const HISTORY = 60; // samples

// Subtracts two histograms, which are lists of [upper bound, count].
function between(later, earlier) {
  const before = new Map(earlier);
  return later.map(([upper, count]) => [upper, Math.max(0, count - (before.get(upper) || 0))]).filter(([, count]) => count > 0);
}

// The upper bound of the bucket that contains the percentile |share|; null if there are no samples.
export function percentile(buckets, share) {
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.ceil(total * share);
  for (const [upper, count] of buckets) {
    left -= count;
    if (left <= 0) return upper;
  }
  return buckets.at(-1)[0];
}

export class Figures {
  constructor() {
    this.listeners = new Set();
    this.rates = []; // writes per second, newest last
    this.recent = []; // buckets of each sample
    this.now = null;
  }

  start() {
    this.turn();
    document.addEventListener("visibilitychange", () => document.hidden || this.turn());
  }

  // Calls |fn| after every sample, including failed ones (see this.error).
  subscribe(fn) {
    this.listeners.add(fn);
    if (this.now) fn(this);
    return () => this.listeners.delete(fn);
  }

  async turn() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    try {
      this.take(await get("/debug/listwatch"));
      this.error = null;
    } catch (error) {
      this.error = error;
    }
    this.listeners.forEach((fn) => fn(this));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.turn(), EVERY_MS);
  }

  take(now) {
    const before = this.now, at = performance.now();
    const isSame = before && before.started === now.started;
    const seconds = (at - this.at) / 1000;
    if (isSame && seconds > 0) {
      this.rates.push(Math.max(0, now.store.revision - before.store.revision) / seconds);
      this.recent.push(between(now.delivery.buckets_us, before.delivery.buckets_us));
      this.deliveries = (now.delivery.count - before.delivery.count) / seconds;
    } else {
      this.rates = [];
      this.recent = [];
      this.deliveries = 0;
    }
    if (this.rates.length > HISTORY) this.rates.shift();
    if (this.recent.length > HISTORY) this.recent.shift();
    this.now = now;
    this.at = at;
  }

  // Writes per second, averaged over the last samples.
  get writes() {
    const last = this.rates.slice(-3);
    return last.length ? last.reduce((sum, rate) => sum + rate, 0) / last.length : 0;
  }

  // Buckets of the last minute, or since the server started if nothing was delivered in that minute.
  get latencies() {
    const sums = new Map();
    for (const buckets of this.recent) for (const [upper, count] of buckets) sums.set(upper, (sums.get(upper) || 0) + count);
    const recent = [...sums].sort(([a], [b]) => a - b);
    return recent.length ? recent : this.now?.delivery.buckets_us || [];
  }
}

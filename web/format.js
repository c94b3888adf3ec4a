// SPDX-License-Identifier: Apache-2.0
// format.js -- formats numbers, sizes and times for display.

const whole = new Intl.NumberFormat("en");

export const count = (n) => whole.format(Math.round(n));

// Formats 1234567 as "1.2 M"; numbers below 10,000 in full.
export function short(n) {
  if (n < 10000) return count(n);
  const steps = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const [size, unit] = steps.find(([step]) => n >= step);
  return `${(n / size).toFixed(n / size < 10 ? 1 : 0)} ${unit}`;
}

export function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  for (; n >= 1024 && at < units.length - 1; at++) n /= 1024;
  return `${at === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${units[at]}`;
}

// Formats ages like kubectl: 42s, 3m12s, 5h, 2d4h, 30d.
export function age(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  const m = Math.floor(s / 60), hours = Math.floor(m / 60), days = Math.floor(hours / 24);
  if (s < 120) return `${s}s`;
  if (m < 10) return s % 60 ? `${m}m${s % 60}s` : `${m}m`;
  if (m < 180) return `${m}m`;
  if (hours < 8) return m % 60 ? `${hours}h${m % 60}m` : `${hours}h`;
  if (hours < 48) return `${hours}h`;
  if (days < 8) return hours % 24 ? `${days}d${hours % 24}h` : `${days}d`;
  return days < 730 ? `${days}d` : `${Math.floor(days / 365)}y`;
}

export const ageOf = (timestamp) => (timestamp ? age(Date.now() - Date.parse(timestamp)) : "");

// Formats microseconds with about three digits.
export function micros(us) {
  if (us < 1000) return `${Math.round(us)} µs`;
  if (us < 1e6) return `${(us / 1000).toFixed(us < 1e4 ? 2 : us < 1e5 ? 1 : 0)} ms`;
  return `${(us / 1e6).toFixed(1)} s`;
}

export const clockTime = (date) => date.toTimeString().slice(0, 8);

// SPDX-License-Identifier: Apache-2.0
// theme.js -- dark or light mode: the system's setting unless the user has chosen one.

const KEY = "listwatch.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => document.documentElement.dataset.theme === "dark";

function apply() {
  const wanted = localStorage.getItem(KEY) || (system.matches ? "dark" : "light");
  document.documentElement.dataset.theme = wanted;
  dispatchEvent(new Event("themechange"));
}

// Toggles the mode and stores it, unless it equals the system's setting.
export function toggleTheme() {
  const wanted = isDark() ? "light" : "dark";
  if (wanted === (system.matches ? "dark" : "light")) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, wanted);
  apply();
}

system.addEventListener("change", apply);
apply();

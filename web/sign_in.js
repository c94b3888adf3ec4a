// SPDX-License-Identifier: Apache-2.0
// sign_in.js -- signing in, with a link or with a token, and out again; the dialog about the user.
//
// A link of the server ends in #/sign-in/SECRET.  What follows "#" is not part of a request, so the
// secret is in no log; the page exchanges it for a cookie that scripts cannot read.

import { setToken, token } from "./api.js";
import { h, icon } from "./dom.js";
import { openDialog } from "./ui.js";

const SESSION = "/ui/session";
const LINK = /^#\/sign-in\/(.+)$/;
const isPlain = location.protocol === "http:"; // needs no sign-in
let problem = ""; // why a link did not work

export const isLink = () => LINK.test(location.hash);

// Signs in if the address is a link.
export async function useLink() {
  const secret = LINK.exec(location.hash)?.[1];
  if (!secret) return;
  history.replaceState(null, "", "#/");
  if (isPlain) return;
  const reply = await fetch(SESSION, { method: "POST", body: secret, cache: "no-store" }).catch(() => null);
  if (reply?.ok) setToken("");
  else problem = reply ? (await reply.json().catch(() => ({}))).message || "The link does not work." : "The server cannot be reached.";
}

// Asks for a token until the server accepts one.
export function askForToken(wasRefused) {
  return openDialog((close) => {
    const field = h("input", { class: "field mono", type: "password", name: "token", autocomplete: "off",
      autofocus: true, spellcheck: "false", "aria-describedby": "token-error" });
    const error = h("p", { class: "error", id: "token-error", role: "alert" },
      problem || (wasRefused ? "The server no longer accepts the previous token." : ""));
    problem = "";
    const tryIt = async (event) => {
      event.preventDefault();
      const reply = await fetch("/api", { headers: { Authorization: `Bearer ${field.value.trim()}` }, cache: "no-store" })
        .catch(() => null);
      if (reply?.ok) {
        setToken(field.value.trim());
        close(true);
      } else {
        error.textContent = reply ? "The server does not accept this token." : "The server cannot be reached.";
        field.select();
      }
    };
    return h("form", { class: "dialog", onsubmit: tryIt, "aria-label": "Token" },
      h("h2", {}, "Sign in"),
      h("p", {}, "Open the link that the server prints: at its start if it runs in a terminal, and whenever it gets the signal SIGUSR1. ",
        "Or enter a bearer token. It is kept in this tab only and is forgotten when you close the tab."),
      h("label", { class: "label" }, "Token", field), error,
      h("div", { class: "actions" }, h("button", { class: "button primary", type: "submit" }, icon("key"), "Sign in")));
  }).then((answer) => answer || askForToken(false));
}

async function hasSession() {
  if (isPlain) return false;
  const reply = await fetch(SESSION, { cache: "no-store" }).catch(() => null);
  return Boolean(reply?.ok) && (await reply.json()).isSignedIn;
}

async function signOut() {
  setToken("");
  const reply = isPlain ? null : await fetch(SESSION, { method: "DELETE", cache: "no-store" }).catch(() => null);
  if (isPlain || reply?.ok) location.reload();
  return "The server cannot be reached: the session has not ended.";
}

// Shows who the user is.  Offers to sign out, unless a client certificate or plain HTTP says who.
export async function userDialog(user) {
  const canSignOut = Boolean(token()) || await hasSession();
  const how = token() ? "with a token" : canSignOut ? "with a link of the server" : isPlain ? "by plain HTTP, which needs no credentials" : "with a client certificate";
  return openDialog((close) => {
    const error = h("p", { class: "error", role: "alert" });
    const leave = async () => { error.textContent = await signOut(); };
    return h("form", { class: "dialog", method: "dialog", "aria-label": "User" },
      h("h2", {}, user.username), h("p", {}, `You are signed in ${how}.`),
      h("p", { class: "faint" }, `Groups: ${(user.groups || []).join(", ") || "none"}`), error,
      h("div", { class: "actions" },
        h("button", { class: "button", type: "button", autofocus: true, onclick: () => close(null) }, "Close"),
        canSignOut ? h("button", { class: "button primary", type: "button", "data-role": "sign-out", onclick: leave }, "Sign out") : null));
  });
}

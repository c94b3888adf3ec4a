// SPDX-License-Identifier: Apache-2.0
// access.js -- who the user is and what the user may do, so that the page offers only that.  The
// server decides: a request that the page offers by mistake is refused.

import { request } from "./api.js";

// A namespace that does not exist: there, only the rights in the whole cluster apply.
const NOWHERE = "listwatch.none";
const EVERYWHERE = "";

const known = new Map(); // namespace => rules; those of EVERYWHERE apply in all of them
const asked = new Map(); // namespace => promise

const post = (path, kind, group, spec) => request("POST", path, { body: JSON.stringify({ kind, apiVersion: `${group}/v1`, spec }) });

// Resolves to the user: { username, groups }.
export async function whoAmI() {
  const group = "authentication.k8s.io";
  const review = await post(`/apis/${group}/v1/selfsubjectreviews`, "SelfSubjectReview", group);
  return review.status.userInfo;
}

async function ask(namespace) {
  const group = "authorization.k8s.io";
  const review = await post(`/apis/${group}/v1/selfsubjectrulesreviews`, "SelfSubjectRulesReview", group,
    { namespace: namespace || NOWHERE });
  known.set(namespace, review.status);
}

// Learns the rights in |namespace|; "": those in the whole cluster.  If the server cannot tell, the
// page offers everything.
export function learn(namespace) {
  const failed = () => known.set(namespace, { incomplete: true });
  if (!asked.has(namespace)) asked.set(namespace, ask(namespace).catch(failed));
  return asked.get(namespace);
}

const covers = (list, value) => list.includes("*") || list.includes(value);

const permits = (rule, verb, kind, name) => covers(rule.verbs, verb) && covers(rule.apiGroups || [], kind.group) &&
  covers(rule.resources || [], kind.plural) && (!rule.resourceNames?.length || rule.resourceNames.includes(name));

// Whether the user may do |verb| with the objects of |kind| in |namespace| ("": in all), or with that
// of this |name|.  False if the rights there are not known yet.
export function may(verb, kind, namespace, name) {
  const places = namespace && kind.isNamespaced ? [EVERYWHERE, namespace] : [EVERYWHERE];
  return places.map((place) => known.get(place)).some((rules) => rules &&
    (rules.incomplete || rules.resourceRules.some((rule) => permits(rule, verb, kind, name))));
}

const matches = (pattern, path) => pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1)));

// Whether the user may read |path|, which is not a resource.
export function mayGet(path) {
  const rules = known.get(EVERYWHERE);
  return Boolean(rules) && (rules.incomplete || rules.nonResourceRules.some((rule) => covers(rule.verbs, "get") &&
    rule.nonResourceURLs.some((pattern) => matches(pattern, path))));
}

// Like may, for a kind that has not been discovered.
export const mayPlain = (verb, plural, namespace) => may(verb, { group: "", plural, isNamespaced: Boolean(namespace) }, namespace);

// SPDX-License-Identifier: Apache-2.0
// secret.js -- hides the values of Secrets.

const APPLIED = "kubectl.kubernetes.io/last-applied-configuration"; // contains the values again

export const isSecret = (object) => object.kind === "Secret" && (object.apiVersion || "v1") === "v1";

function mask(value) {
  const size = Math.floor((String(value).replace(/=+$/, "").length * 3) / 4);
  return `•••••••• (${size} bytes)`;
}

const maskAll = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, mask(value)]));

// Returns a copy with masked values.
export function masked(object) {
  if (!isSecret(object)) return object;
  const copy = { ...object };
  if (copy.data) copy.data = maskAll(copy.data);
  if (copy.stringData) copy.stringData = maskAll(copy.stringData);
  if (copy.metadata?.annotations?.[APPLIED]) {
    copy.metadata = { ...copy.metadata, annotations: { ...copy.metadata.annotations, [APPLIED]: "••••••••" } };
  }
  return copy;
}

// Returns a copy without managedFields, which are long and rarely of interest.
export function withoutManagedFields(object) {
  const { managedFields, ...metadata } = object.metadata;
  return managedFields ? { ...object, metadata } : object;
}

// SPDX-License-Identifier: Apache-2.0
// secret.js -- what of an object is not for everybody who looks over a shoulder.

const APPLIED = "kubectl.kubernetes.io/last-applied-configuration"; // has the values once more

export const isSecret = (object) => object.kind === "Secret" && (object.apiVersion || "v1") === "v1";

function mask(value) {
  const size = Math.floor((String(value).replace(/=+$/, "").length * 3) / 4);
  return `•••••••• (${size} bytes)`;
}

const maskAll = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, mask(value)]));

// A copy whose values cannot be read.
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

// A copy without the record of who set which field, which is long and of no interest to most.
export function withoutManagedFields(object) {
  const { managedFields, ...metadata } = object.metadata;
  return managedFields ? { ...object, metadata } : object;
}

// SPDX-License-Identifier: Apache-2.0
// An informer of @kubernetes/client-node on config maps, on the server that KUBECONFIG names.
//
// Says "ready" when its cache is filled; answers each line of standard input with what the cache
// holds, {"namespace/name":"resourceVersion"}; ends with it.
import { createInterface } from 'node:readline';

import { CoreV1Api, ERROR, KubeConfig, makeInformer } from '@kubernetes/client-node';

const PAUSE_MS = 200; // before an informer that has lost its server is started again

const config = new KubeConfig();
config.loadFromDefault();
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, '/api/v1/configmaps', () => api.listConfigMapForAllNamespaces());

// An informer that fails stops; its program decides when it starts again.
async function start() {
    try {
        await informer.start();
    } catch (trouble) {
        retry(trouble);
    }
}

function retry(trouble) {
    console.error('informer:', trouble?.message ?? trouble);
    setTimeout(start, PAUSE_MS);
}

informer.on(ERROR, retry);
await start();
console.log('ready');
const lines = createInterface({ input: process.stdin });
lines.on('line', () => {
    const held = {};
    for (const { metadata } of informer.list()) {
        held[`${metadata.namespace}/${metadata.name}`] = metadata.resourceVersion;
    }
    console.log(JSON.stringify(held));
});
lines.on('close', () => process.exit(0));

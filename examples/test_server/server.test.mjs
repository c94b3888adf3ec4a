// SPDX-License-Identifier: Apache-2.0
// server.test.mjs -- tests in JavaScript with an API server of their own.
//
//     node --test server.test.mjs     needs the program listwatch in $PATH, or its path in $LISTWATCH
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import test from 'node:test';

// Starts a server in memory on a free port, and stops it when the test t ends.
async function startServer(t) {
    const server = spawn(process.env.LISTWATCH ?? 'listwatch',
        ['serve', '--memory', '--listen', 'none', '--insecure-listen', '127.0.0.1:0'],
        { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(async () => {
        server.kill();
        await once(server, 'exit');
    });
    const [line] = await once(createInterface(server.stdout), 'line');
    assert.match(line, /^ready: /);
    return line.split(' ')[1];
}

test('a config map is there after it was created', async (t) => {
    const url = await startServer(t) + '/api/v1/namespaces/default/configmaps';
    const reply = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ metadata: { name: 'settings' }, data: { theme: 'dark' } }),
    });
    assert.equal(reply.status, 201);
    const found = await (await fetch(url + '/settings')).json();
    assert.deepEqual(found.data, { theme: 'dark' });
});

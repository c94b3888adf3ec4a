// SPDX-License-Identifier: Apache-2.0
// websocket.js -- a WebSocket by hand: prints the text messages, and the code the server closes with.
// usage: node websocket.js PORT [CA FILE]
"use strict";
const fs = require("fs");
const http = require("http");
const https = require("https");

const [port, ca] = process.argv.slice(2);
const options = {
  host: "127.0.0.1", port, path: "/ws", agent: false,
  ca: ca ? fs.readFileSync(ca) : undefined,
  headers: {
    Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "a, b",
  },
};

const request = (ca ? https : http).request(options);
request.on("upgrade", (reply, socket, head) => {
  console.log(reply.statusCode, reply.headers["sec-websocket-accept"],
    reply.headers["sec-websocket-protocol"]);
  let bytes = head;
  const read = () => {
    while (bytes.length >= 2 && bytes.length >= 2 + bytes[1]) { // short frames only
      const body = bytes.subarray(2, 2 + bytes[1]);
      const opcode = bytes[0] & 15;
      console.log(opcode === 8 ? "close " + body.readUInt16BE(0) : body.toString().trim());
      bytes = bytes.subarray(2 + bytes[1]);
    }
  };
  read();
  socket.on("data", (more) => { bytes = Buffer.concat([bytes, more]); read(); });
  socket.on("end", () => socket.end());
});
request.on("response", (reply) => { console.log("refused", reply.statusCode); reply.resume(); });
request.end();

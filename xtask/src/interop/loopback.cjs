// Loaded into every client that runs on Node: whatever it wants of another machine is noted, and fails.
'use strict';
const fs = require('node:fs');
const net = require('node:net');

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  const options = typeof first === 'object' ? first : { port: first, host: args[1] };
  const host = options.path ? 'localhost' : options.host ?? 'localhost';
  if (!['127.0.0.1', '::1', 'localhost'].includes(host)) {
    fs.appendFileSync(process.env.INTEROP_OUTSIDE, `${process.argv.slice(1).join(' ')}: ${host}\n`);
    throw new Error(`${host} is not this machine`);
  }
  return connect.apply(this, args);
};

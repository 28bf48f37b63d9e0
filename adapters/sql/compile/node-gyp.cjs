#!/usr/bin/env node
// What npm compiles the SQLite driver for Node 20 with, except for production: the node-gyp of npm, with less optimization, on all
// cores, and without the parts of SQLite that Rollcall does not use. It takes a third of the time, which a newcomer waits for.
const { spawnSync } = require('node:child_process');
const { createRequire } = require('node:module');

const unused = ['DBSTAT_VTAB', 'FTS3', 'FTS3_PARENTHESIS', 'FTS4', 'FTS5', 'GEOPOLY', 'RTREE'];
const flags = ['-O1', '-w', ...unused.map((name) => `-USQLITE_ENABLE_${name}`)];
const nodeGyp = createRequire(process.env.npm_execpath).resolve('node-gyp/bin/node-gyp.js');
const { status } = spawnSync(process.execPath, [nodeGyp, ...process.argv.slice(2), '--jobs', 'max'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    CFLAGS: [...flags, process.env.CFLAGS].join(' '),
    CXXFLAGS: [...flags, process.env.CXXFLAGS].join(' '),
  },
});
process.exitCode = status ?? 1;

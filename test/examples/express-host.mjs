// An Express application with our database, our API and our rules: node express-host.mjs <database> <port>
import { createCore } from '@rollcall/core';
import { createApp, pageLinks } from '@rollcall/express';
import { logErrorTracker, nodePorts } from '@rollcall/node';
import { openDatabase, sqlPorts } from '@rollcall/sql';
import express from 'express';

const [database, port] = [await openDatabase(process.argv[2]), Number(process.argv[3])];
await database.migrate();
const ports = { ...sqlPorts(database), ...nodePorts({ secretKey: process.env.SECRET_KEY, log: console }) };
const publicUrl = `http://127.0.0.1:${port}/partner`;
const core = createCore(ports, { links: pageLinks(publicUrl) });
const common = { publicUrl, log: console, errorTracker: logErrorTracker(console) };
const rollcall = createApp({ ...common, core, isMounted: true });

const host = express();
host.use('/partner', rollcall);
host.get('/', (_request, response) => response.send('the host'));
ports.dispatcher.start(core.deliverWebhooks);
host.listen(port, '127.0.0.1');

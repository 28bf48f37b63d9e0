// An Express application with our database, our API, our pages and our rules: node express-host.mjs <database> <port>
import { openapi } from '@rollcall/contracts';
import { createCore } from '@rollcall/core';
import { createApp, createPages, pageLinks } from '@rollcall/express';
import { logErrorTracker, nodePorts } from '@rollcall/node';
import { openDatabase, sqlPorts } from '@rollcall/sql';
import express from 'express';

const [database, port] = [await openDatabase(process.argv[2]), Number(process.argv[3])];
await database.migrate();
const ports = { ...sqlPorts(database), ...nodePorts({ secretKey: process.env.SECRET_KEY, log: console }) };
const publicUrl = `http://127.0.0.1:${port}/partner`;
const core = createCore(ports, { links: pageLinks(publicUrl) });
const common = { core, publicUrl, errorTracker: logErrorTracker(console), isMounted: true };
const { formTokens, browserCipher } = ports;
const pages = createPages({ ...common, formTokens, browserCipher, serviceName: 'Service', openapi });

const host = express();
host.use('/partner', createApp({ ...common, log: console, pages }));
host.get('/', (_request, response) => response.send('the host'));
ports.dispatcher.start(core.deliverWebhooks);
host.listen(port, '127.0.0.1');

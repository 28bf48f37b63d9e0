import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { openSecondFloor } from './second-floor.js';

/** The second floor as a program, which prints its port on standard output. */

const [databaseUrl = '', publicUrl = ''] = process.argv.slice(2);
const { token } = createKeyring({ secretKey: process.env.SECRET_KEY ?? '' }).current.keys;
const { app } = await openSecondFloor({ databaseUrl, tokenKey: token, publicUrl });
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
// Standard input is a pipe from the process that started this one: ends with it.
process.stdin.on('end', () => process.exit(0)).resume();

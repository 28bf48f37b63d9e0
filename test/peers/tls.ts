import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { createAuthority, testAuthority } from '../support/certificates.js';
import { listen } from '../support/listen.js';
import { guideBlock } from '../support/proxies.js';
import type { Context, Peer } from './peer.js';
import { deliver, setWebhook, startReceiver, webhookAt } from './receivers.js';

/** What fits into one packet of Ethernet. */
const MAX_HELLO_BYTES = 1_460;

/** A middlebox that drops connections whose ClientHello takes a second packet. Tells the sizes that it has seen. */
async function startOldFirewall(context: Context, target: string) {
  const sizes: number[] = [];
  const server = createServer(async (client) => {
    client.on('error', () => undefined);
    const hello = await readHello(client);
    sizes.push(hello.length);
    if (hello.length > MAX_HELLO_BYTES) return;
    const upstream = connect(Number(new URL(target).port), 'localhost').on('error', () => undefined);
    upstream.write(hello);
    client.pipe(upstream).pipe(client);
  });
  return { url: await serveFor(context, server, target), sizes };
}

/** The first record of TLS: five bytes, of which the last two are the length of the others. */
async function readHello(client: Socket): Promise<Buffer> {
  let hello = Buffer.alloc(0);
  while (hello.length < 5 || hello.length < 5 + hello.readUInt16BE(3)) {
    const [part] = await once(client, 'data');
    hello = Buffer.concat([hello, part]);
  }
  client.pause();
  return hello;
}

/** A receiver that answers 204, with these options of TLS. */
async function withTls(context: Context, target: string, options: TlsOptions): Promise<string> {
  const server = createTlsServer(options, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'));
  });
  return serveFor(context, server, target);
}

async function serveFor(
  context: Context,
  server: ReturnType<typeof createServer>,
  target: string,
): Promise<string> {
  context.onEnd(() => server.close());
  const url = new URL(target);
  url.port = String(await listen(server));
  return url.href;
}

const RSA = { keyType: 'rsa', keySize: 2048, algorithm: 'sha256' } as const;

/**
 * Deliveries of Node 24 through an old firewall, and to a receiver with an RSA key of 1024 bits that knows P-384 only, fail
 * without the configuration of the guide, and arrive with it.
 */
async function tryOldReceivers(context: Context): Promise<void> {
  const { url } = await startReceiver(context);
  const firewall = await startOldFirewall(context, url);
  const old = await createAuthority('Old authority', RSA);
  const short = await old.issue({ kind: { ...RSA, keySize: 1024 } });
  const { cert } = await testAuthority();
  const given = { WEBHOOK_CA_FILE: context.file('authorities.pem', `${cert}\n${old.cert}\n`) };
  const weak = await withTls(context, url, {
    ...{ ...short, ciphers: 'DEFAULT@SECLEVEL=0', ecdhCurve: 'P-384' },
  });
  const node = join(context.cwd, `../node_modules/${NODE}/bin/node`);
  const configuration = context.file('openssl.cnf', guideBlock('openssl'));
  for (const [env, outcome, failures] of [
    [{}, ['failed', null], 2],
    [{ OPENSSL_CONF: configuration }, ['delivered', 204], 0],
  ] as const) {
    const product = await context.product({ ...given, ...env }, node);
    for (const receiver of [firewall.url, weak]) {
      await setWebhook(product, { webhook: webhookAt(receiver), regenerate_secret: '1' });
      assert.deepEqual(await deliver(product, 'Zoë'), outcome);
    }
    await product.end();
    assert.equal(product.log().split('"phase":"tls"').length - 1, failures);
  }
  const [usual = 0, configured = 0] = firewall.sizes;
  assert.deepEqual([usual > 1_550, usual < 1_650, configured > 350, configured < 450], Array(4).fill(true));
}

const NODE = `node-linux-${process.arch}`;

export const oldTls: Peer = {
  name: 'Old TLS, with Node 24',
  npm: [`${NODE}@24.21.0`],
  databases: ['postgres'],
  needs: '`OPENSSL_CONF`',
  run: tryOldReceivers,
};

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { receivers as guideReceivers } from '#adapters/express/pages/docs/receivers.js';
import { freePort } from '../support/app-cli.js';
import { testAuthority } from '../support/certificates.js';
import { listen } from '../support/listen.js';
import type { Context, Group, Peer } from './peer.js';
import type { Product } from './product.js';

interface Receiver extends Omit<Peer, 'run'> {
  /** Starts it on the port, with the secrets in the form of the guide. */
  start(context: Context, port: number, secrets: string): Promise<unknown>;
}

const URL_PATH = '/hooks';

/** Events arrive with the old and the new secret of a rotation; a body that somebody changed gets 401. */
async function tryReceiver({ start }: Receiver, context: Context): Promise<void> {
  const product = await context.product();
  const port = await freePort();
  const url = await startTls(context, port);
  const old = await setWebhook(product, { webhook: webhookAt(url), regenerate_secret: '1' });
  const current = await setWebhook(product, {
    ...{ webhook: { enabled: true }, regenerate_secret: '1', overlap_hours: 1 },
  });
  await start(context, port, `${old},${current}`);
  assert.deepEqual(await deliver(product, 'Zoë'), ['delivered', 204]);
  await product.call('webhook/finish_rotation', { method: 'POST' });
  assert.deepEqual(await deliver(product, '漢字 "Q"'), ['delivered', 204]);
  for (const signature of ['', 'sha256=', `sha256=${'0'.repeat(64)}`]) {
    const headers = { 'Content-Type': 'application/json', 'X-Rollcall-Signature': signature };
    const body = '{"event":"user.registered"}';
    const { status } = await fetch(`http://127.0.0.1:${port}${URL_PATH}`, { method: 'POST', headers, body });
    assert.equal(status, 401);
  }
}

export const webhookAt = (url: string) => ({ url, enabled: true, events: ['user.registered'] });

/** Returns the new secret. */
export async function setWebhook({ call }: Product, body: object): Promise<string> {
  const answer = await call('webhook', {
    ...{ method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
  });
  const { webhook, errors } = (await answer.json()) as {
    readonly webhook: { readonly secret: string };
    readonly errors?: unknown;
  };
  assert.equal(answer.status, 200, JSON.stringify(errors));
  return webhook.secret;
}

/** Registers a person, and says how the delivery ended. */
export async function deliver(product: Product, name: string): Promise<readonly unknown[]> {
  const email = `${Date.now()}@example.test`;
  const body = new URLSearchParams({ email, first_name: name, last_name: 'Ash' });
  const { user } = (await (await product.call('invite_user', { method: 'POST', body })).json()) as {
    readonly user: { readonly invitation_url: string };
  };
  const visitor = await product.browser(null);
  const accepted = await visitor.fillIn(new URL(user.invitation_url).pathname, { password: 'long enough' });
  assert.equal(accepted.status, 303, accepted.text);
  for (;;) {
    const answer = await product.call('webhook/deliveries?limit=1');
    const [newest] = ((await answer.json()) as Deliveries).deliveries;
    if (newest !== undefined && newest.last_attempt !== null)
      return [newest.state, newest.last_attempt.status];
    await pause(50);
  }
}

interface Deliveries {
  readonly deliveries: readonly {
    readonly state: string;
    readonly last_attempt: { readonly status: number | null } | null;
  }[];
}

/** A receiver in this process that answers 204. */
export async function startReceiver(context: Context) {
  const received: { readonly body: string; readonly headers: IncomingHttpHeaders }[] = [];
  const port = await freePort();
  const server = createHttpServer(async (request, response) => {
    received.push({ body: await text(request), headers: request.headers });
    response.writeHead(204).end();
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  context.onEnd(() => server.close());
  return { url: await startTls(context, port), received };
}

/** A proxy that terminates TLS, as the guide asks for. */
async function startTls(context: Context, port: number): Promise<string> {
  const server = createServer(await (await testAuthority()).issue(), (socket) => {
    const upstream = connect(port, '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    for (const end of [socket, upstream]) end.on('error', () => undefined);
  });
  context.onEnd(() => server.close());
  return `https://localhost:${await listen(server)}${URL_PATH}`;
}

function guideCode(id: string): string {
  return guideReceivers('Rollcall').find((receiver) => receiver.id === id)?.code ?? assert.fail(id);
}

/** Starts PHP-FPM with the guide's receiver, and returns its port. */
async function startFpm(context: Context, secrets: string): Promise<number> {
  const port = await freePort();
  context.file('receiver.php', guideCode('php'));
  const pool = `[global]
error_log = ${context.cwd}/fpm.log
[www]
user = nobody
group = nogroup
listen = 127.0.0.1:${port}
pm = static
pm.max_children = 2
env[WEBHOOK_SECRET] = "${secrets}"
`;
  const file = context.file('fpm.conf', pool);
  await context.serve(port, 'php-fpm8.2', ['--nodaemonize', '--fpm-config', file]);
  return port;
}

async function startPhpBehindNginx(context: Context, port: number, secrets: string): Promise<void> {
  const fpm = await startFpm(context, secrets);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const file = context.file(
    'nginx.conf',
    `daemon off; error_log stderr; pid ${context.cwd}/nginx.pid; events {}
http {
  access_log off;
  ${temporary.map((part) => `${part}_temp_path ${context.cwd}/${part};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    location / {
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME ${context.cwd}/receiver.php;
      fastcgi_pass 127.0.0.1:${fpm};
    }
  }
}
`,
  );
  await context.serve(port, 'nginx', ['-c', file, '-p', context.cwd]);
}

/** A configuration of Apache, with these modules and lines. */
export function apacheConfig(
  { cwd }: Context,
  {
    port,
    modules,
    lines,
  }: { readonly port: number; readonly modules: readonly string[]; readonly lines: string },
): string {
  return [
    ...[`ServerRoot ${cwd}`, `PidFile ${cwd}/pid`, `ErrorLog ${cwd}/error.log`, 'ServerName localhost'],
    ...['mpm_event', 'authz_core', ...modules].map(
      (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
    ),
    ...['User nobody', 'Group nogroup', `Listen 127.0.0.1:${port}`],
    lines,
    '',
  ].join('\n');
}

async function startPhpBehindApache(context: Context, port: number, secrets: string): Promise<void> {
  const fpm = await startFpm(context, secrets);
  const lines = `DocumentRoot ${context.cwd}
AliasMatch ^/ ${context.cwd}/receiver.php
<Directory ${context.cwd}>
  Require all granted
  SetHandler proxy:fcgi://127.0.0.1:${fpm}
</Directory>`;
  const modules = ['alias', 'proxy', 'proxy_fcgi'];
  const file = context.file('apache.conf', apacheConfig(context, { port, modules, lines }));
  await context.serve(port, 'apache2', ['-X', '-f', file]);
}

async function startNodeRed(context: Context, port: number, secrets: string): Promise<void> {
  const flows = context.file('flows.json', guideCode('node-red'));
  const settings = context.file(
    'settings.cjs',
    `module.exports = { uiHost: '127.0.0.1', uiPort: ${port}, functionExternalModules: true, disableEditor: true };`,
  );
  const program = join(context.cwd, '../node_modules/node-red/red.js');
  const args = [program, '--settings', settings, '--userDir', context.cwd, flows];
  await context.serve(port, context.node, args, { WEBHOOK_SECRET: secrets });
  await pause(3_000);
}

const receivers: readonly Receiver[] = [
  {
    name: 'PHP-FPM behind nginx',
    debian: ['php8.2-fpm', 'nginx-light'],
    needs: '`env[WEBHOOK_SECRET] = "whsec_…"`, with quotes, in the pool',
    start: startPhpBehindNginx,
  },
  {
    name: 'PHP-FPM behind Apache',
    debian: ['php8.2-fpm', 'apache2-bin'],
    needs: '`env[WEBHOOK_SECRET] = "whsec_…"`, with quotes, in the pool',
    start: startPhpBehindApache,
  },
  {
    name: 'Rack with Puma',
    debian: ['puma', 'ruby-rack'],
    start(context, port, secrets) {
      const file = context.file('config.ru', guideCode('ruby'));
      return context.serve(port, 'puma', ['-b', `tcp://127.0.0.1:${port}`, file], {
        WEBHOOK_SECRET: secrets,
      });
    },
  },
  {
    name: 'Plack with Starman',
    debian: ['starman', 'libplack-perl'],
    start(context, port, secrets) {
      const file = context.file('receiver.psgi', guideCode('perl'));
      return context.serve(port, 'starman', ['--listen', `127.0.0.1:${port}`, '--workers', '1', file], {
        WEBHOOK_SECRET: secrets,
      });
    },
  },
  {
    name: 'gunicorn',
    debian: ['gunicorn'],
    start(context, port, secrets) {
      context.file('receiver.py', guideCode('python'));
      return context.serve(
        port,
        '/usr/bin/python3',
        ['/usr/bin/gunicorn', '-b', `127.0.0.1:${port}`, 'receiver:receive'],
        {
          WEBHOOK_SECRET: secrets,
        },
      );
    },
  },
  {
    name: 'HttpServer of the JDK',
    debian: ['openjdk-17-jdk-headless'],
    start(context, port, secrets) {
      const file = context.file('Receiver.java', guideCode('java'));
      return context.serve(port, 'java', [file], { PORT: String(port), WEBHOOK_SECRET: secrets });
    },
  },
  {
    name: 'Node-RED',
    npm: ['node-red@5.0.7'],
    start: startNodeRed,
  },
];

export const receiverGroup: Group = {
  title: 'Receivers of webhooks',
  tried:
    'Two deliveries with names outside of ASCII, during and after a rotation of the secret, get 204; wrong signatures get 401. Each runs the program of the guide. Old TLS: a firewall that drops a ClientHello over 1,460 bytes, and RSA keys of 1024 bits.',
  peers: receivers.map(
    (receiver): Peer => ({ ...receiver, run: (context) => tryReceiver(receiver, context) }),
  ),
};

const STANDARD = `
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
const { secret, body, headers } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const verify = (text) => { try { return new Webhook(secret).verify(text, headers); } catch (error) { return error.message; } };
console.log(JSON.stringify([verify(body), verify(body + ' ')]));
`;

async function tryStandardWebhooks(context: Context): Promise<void> {
  const product = await context.product();
  const { url, received } = await startReceiver(context);
  const old = await setWebhook(product, { webhook: webhookAt(url), regenerate_secret: '1' });
  const change = { webhook: { enabled: true }, regenerate_secret: '1', overlap_hours: 1 };
  const current = await setWebhook(product, change);
  assert.deepEqual(await deliver(product, 'Zoë'), ['delivered', 204]);
  const [{ body, headers } = assert.fail('nothing was received')] = received;
  const program = context.file('verify.mjs', STANDARD);
  for (const secret of [old, current]) {
    const file = context.file('delivery.json', JSON.stringify({ secret, body, headers }));
    const printed = await context.exec(context.node, [program, file]);
    assert.deepEqual(JSON.parse(printed), [JSON.parse(body), 'No matching signature found']);
  }
}

export const verifierGroup: Group = {
  title: 'Verifiers of webhooks',
  tried:
    'A delivery during a rotation is verified with the old secret and with the new one; a changed body is refused.',
  peers: [{ name: 'standardwebhooks', npm: ['standardwebhooks@1.1.1'], run: tryStandardWebhooks }],
};

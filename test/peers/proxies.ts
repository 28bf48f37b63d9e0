import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/app-cli.js';
import { type AnyProxyKind, guideBlock, startAnyProxy } from '../support/proxies.js';
import { ACCESS_KEY, COUNT, OWNER, SLASHED_ID } from './dataset.js';
import type { Context, Group, Peer } from './peer.js';
import type { Product } from './product.js';
import { apacheConfig, setWebhook, webhookAt } from './receivers.js';

/** More than the buffers of connections hold, also if a proxy compresses. */
const MEETINGS = 4_000;
const LARGE_EXPORT =
  'export_meetings?reporting_days=everything&column[]=id&column[]=name&column[]=meeting_description';

/** Answers that are the same for each request, apart from these headers of the connection. */
const OF_CONNECTION = [
  'accept-ranges',
  'age',
  'connection',
  'date',
  'keep-alive',
  'server',
  'transfer-encoding',
  'via',
  'x-cache',
  'x-cache-lookup',
  'x-request-id',
  'x-varnish',
];

async function tryProxy(kind: AnyProxyKind, context: Context): Promise<void> {
  const product = await context.product();
  await product.store(Array.from({ length: MEETINGS }, (_, index) => largeMeeting(10_000 + index)));
  const proxy = await startAnyProxy(kind, product);
  context.onEnd(() => proxy.stop());

  const page = 'export_meetings?column[]=name&page=1&per_page=2';
  const direct = await product.call(page);
  const passed = await product.call(page, {}, `${proxy.url}/api/v2`);
  assert.equal(await passed.text(), await direct.text());
  assert.deepEqual(headersOf(passed), headersOf(direct));
  assert.ok(passed.headers.has('x-request-id'));

  const places = `members/${encodeURIComponent(SLASHED_ID)}/upcoming_meetings`;
  assert.equal((await product.call(places, {}, `${proxy.url}/api/v2`)).status, 200);
  await assertAddressArrives(product, proxy.url);

  const whole = createHash('sha256').update(await (await product.call(LARGE_EXPORT, identity)).text());
  // The log is written after the answer.
  await pause(500);
  const stream = await open(product, `${proxy.url}/api/v2/organizations/1/${LARGE_EXPORT}`);
  const started = exportsLogged(product);
  await once(stream, 'readable');
  await pause(1_000);
  assert.equal(exportsLogged(product), started, 'the proxy has taken the whole export already');
  const ended = product.end();
  assert.equal(
    createHash('sha256')
      .update(await text(stream))
      .digest('hex'),
    whole.digest('hex'),
  );
  await ended;
}

const identity = { headers: { 'Accept-Encoding': 'identity' } };

const largeMeeting = (id: number): object => ({
  ...{
    kind: 'meeting',
    id,
    organization_id: 1,
    name: `Large ${id}`,
    meeting_type: 'Group',
    location: 'rollcall',
  },
  ...{
    start_time: '2025-01-01T00:00:00Z',
    duration: 30,
    status: 'complete',
    meeting_description: randomBytes(7_500).toString('base64'),
  },
});

function headersOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !OF_CONNECTION.includes(name)));
}

/** The requests for exports that have ended. */
function exportsLogged(product: Product): number {
  return product.log().split('/export_meetings"').length;
}

async function open({ token }: Product, url: string): Promise<IncomingMessage> {
  const [response] = await once(get(url, { headers: { Authorization: `Bearer ${token}` } }), 'response');
  assert.equal(response.statusCode, 200);
  return response;
}

/** The log has the address of a client that sends a wrong key, and not what the client says about it. */
async function assertAddressArrives({ log }: Product, url: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': '192.0.2.1' };
  const sent = request(`${url}/api/v2/authenticate`, { method: 'POST', localAddress: '127.0.0.2', headers });
  sent.end(JSON.stringify({ access_key: '9'.repeat(24) }));
  const [response] = await once(sent, 'response');
  assert.equal(response.statusCode, 401);
  await text(response);
  for (let left = 20; left > 0 && !log().includes('Wrong access key'); left -= 1) await pause(100);
  const line = log()
    .split('\n')
    .find((one) => one.includes('Wrong access key'));
  assert.equal(JSON.parse(line ?? '{}').address, '127.0.0.2');
}

const proxy = (name: string, kind: AnyProxyKind, debian: string): Peer => ({
  ...{ name, debian: [debian] },
  run: (context) => tryProxy(kind, context),
});

export const proxyGroup: Group = {
  title: 'Proxies',
  tried:
    'With the configuration of the operator’s guide, without TLS: an export of 40 MB is streamed, stays whole while the instance stops, and is compared; a slash in an `idp_id`; headers; the client’s address.',
  peers: [
    proxy('HAProxy', 'haproxy', 'haproxy'),
    proxy('nginx', 'nginx', 'nginx-light'),
    proxy('Caddy', 'caddy', 'caddy'),
    proxy('Apache', 'apache2', 'apache2-bin'),
    { ...proxy('lighttpd', 'lighttpd', 'lighttpd'), needs: '`server.stream-response-body = 2`' },
    { ...proxy('Squid', 'squid', 'squid'), needs: '`login=PASSTHRU`' },
    { ...proxy('Varnish', 'varnishd', 'varnish'), needs: '`return (pipe)`' },
  ],
};

/** The pages that a signed-in owner opens. */
const PAGES = [
  '',
  '/people',
  '/meetings',
  '/all-meetings',
  '/webhooks',
  '/settings',
  '/export',
  '/invitations',
];

/** Apache with the rules, and the lines of the guide. Returns its address. */
async function startFirewall(context: Context, product: Product, setup: string): Promise<string> {
  const port = await freePort();
  const lines = `SecRuleEngine On
SecRequestBodyAccess On
SecDataDir ${context.cwd}
${setup}
Include /etc/modsecurity/crs/crs-setup.conf
Include /usr/share/modsecurity-crs/rules/*.conf
${guideBlock('apache').replaceAll('3000', String(product.port))}`;
  const modules = ['unique_id', 'proxy', 'proxy_http', 'security2'];
  const name = `apache-${port}`;
  const file = context.file(
    `${name}.conf`,
    apacheConfig(context, { port, modules, lines }).replace('/pid', `/${name}.pid`),
  );
  await context.serve(port, 'apache2', ['-X', '-f', file]);
  return `http://127.0.0.1:${port}`;
}

const METHODS = 'GET HEAD POST OPTIONS PUT PATCH DELETE';
const ALLOWED = `SecAction "id:900200,phase:1,nolog,pass,t:none,setvar:'tx.allowed_methods=${METHODS}'"`;

async function tryFirewall(context: Context): Promise<void> {
  const product = await context.product();
  const [strict, allowing] = [
    await startFirewall(context, product, ''),
    await startFirewall(context, product, ALLOWED),
  ];
  for (const at of [strict, allowing]) {
    const client = await product.browser(OWNER, at);
    for (const page of PAGES) {
      const { status } = await client.open(`/organizations/1${page}`);
      assert.ok(status === 200 || status === 303, `${page}: ${status}`);
    }
    await makeCalls(product, `${at}/api/v2`);
  }
  const change = {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: '{"webhook":{"enabled":false}}',
  };
  assert.equal((await product.call('webhook', change, `${strict}/api/v2`)).status, 403);
  assert.equal((await product.call('webhook', change, `${allowing}/api/v2`)).status, 200);
  for (const [path, method, type, body] of REFUSED) {
    const init = { method, headers: { 'Content-Type': type }, body };
    assert.equal((await product.call(path, init, `${allowing}/api/v2`)).status, 403, body);
    assert.notEqual((await product.call(path, init)).status, 403, body);
  }
}

const FORM = 'application/x-www-form-urlencoded';
/** What the guide says about the other rules. */
const REFUSED = [
  ['webhook', 'PATCH', FORM, 'webhook[url]=https://192.0.2.7/hooks'],
  ['invite_user', 'POST', 'application/x-ndjson', '{}'],
  ['invite_user', 'POST', FORM, 'email=ada@northwind.test'],
] as const;

/** The five calls of the README, at the base of the API or another one. */
export async function makeCalls(product: Product, at: string = product.api): Promise<void> {
  const authenticated = await fetch(`${at}/authenticate`, {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ access_key: ACCESS_KEY }),
  });
  assert.equal(authenticated.status, 200);
  const body = new URLSearchParams({ email: 'ada@example.test', first_name: 'Ada', last_name: 'Lovelace' });
  const invited = await product.call('invite_user', { method: 'POST', body }, at);
  assert.equal(invited.status, 200);
  const upcoming = await product.call('members/idp-0/upcoming_meetings?items=3', {}, at);
  assert.equal(((await upcoming.json()) as { readonly meetings: object[] }).meetings.length, 3);
  const exported = await product.call('export_meetings?column[]=name&reporting_days=last_month', {}, at);
  assert.equal(((await exported.json()) as { readonly meetings: object[] }).meetings.length, COUNT);
  await setWebhook(
    { ...product, call: (path, init) => product.call(path, { ...init, method: 'POST' }, at) },
    { webhook: webhookAt('https://hooks.example.test/rollcall'), regenerate_secret: '1' },
  );
}

export const firewallGroup: Group = {
  title: 'Firewalls',
  tried:
    'With the rules of OWASP at paranoia level 1: signing in, eight pages of an owner, the five calls of the README; what the guide says is refused.',
  peers: [
    {
      name: 'ModSecurity with the Core Rule Set',
      debian: ['modsecurity-crs', 'libapache2-mod-security2', 'apache2-bin'],
      needs: '`PATCH` in `tx.allowed_methods`',
      run: tryFirewall,
    },
  ],
};

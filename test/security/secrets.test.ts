import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openapi } from '@rollcall/contracts';
import { freePort, linesOf, type Running, run, start, temporaryDirectory } from '../support/app-cli.js';
import { formFields, type PageClient, pageClient } from '../support/page/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Asked, type Bytes, exchange, exchangeBytes, startSite } from '../support/security/site.js';
import { foundInternals, foundTraces, tracesOf } from '../support/security/traces.js';

const secretKey = 'kP7-the-secret-key-of-this-test-and-of-no-other-0123456789';
const people = [
  { kind: 'organization', id: 1, name: 'Northwind', access_key: '918273645546372819001122' },
  { kind: 'organization', id: 2, name: 'Contoso', access_key: '564738291029384756473829' },
  { kind: 'user', id: 1, uuid: uuid(1), email: 'owner@example.test', first_name: 'Owner', last_name: 'One' },
  { kind: 'membership', organization_id: 1, user_id: 1, role: 'owner', idp_id: 'idp-1' },
];

function uuid(number: number): string {
  return `8f6f1c52-52d2-4f3b-9a8e-${String(number).padStart(12, '0')}`;
}

/** The secrets that were used, by name: none may be found anywhere. */
const secrets = new Map<string, string>([['SECRET_KEY', secretKey]]);
function used(name: string, secret: string): string {
  assert.ok(secret.length >= 12, `${name} is too short to be looked for`);
  secrets.set(name, secret);
  return secret;
}

describe('Files and output after a day of use, with LOG_LEVEL=debug', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let server: Running;
  let receiver: Receiver;
  let port = 0;
  let cwd = '';
  const printed: string[] = [];
  const errorAnswers: Bytes[] = [];
  const places = new Map<string, Buffer>();

  before(async () => {
    directory = temporaryDirectory();
    cwd = directory.path;
    port = await freePort();
    receiver = await startReceiver({
      answer: (request, response) => response.writeHead(request.url === '/fails' ? 500 : 200).end(),
    });
    writeFileSync(join(cwd, 'ca.pem'), receiver.authority);
    writeFileSync(join(cwd, 'people.ndjson'), people.map((record) => JSON.stringify(record)).join('\n'));
    for (const { access_key } of people) {
      if (access_key !== undefined) used(`an imported access key ${access_key.length}`, access_key);
    }
    await command(['import', 'people.ndjson']);
    await command(
      ['user', 'set-password', '--email', 'owner@example.test'],
      used('the owner’s password', 'correct horse battery'),
    );
    server = start(['serve'], { cwd, env: environment() });
    await server.see(/"msg":"Listening"/);
    await useEverything();
    await findEverything();
  });
  after(async () => {
    await server?.stop('SIGKILL');
    await receiver?.stop();
    directory?.remove();
  });

  function environment(): Record<string, string> {
    return {
      PORT: String(port),
      SECRET_KEY: secretKey,
      LOG_LEVEL: 'debug',
      DATABASE_URL: 'sqlite:data/rollcall.db',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
      WEBHOOK_CA_FILE: 'ca.pem',
    };
  }

  async function command(args: readonly string[], input = ''): Promise<string> {
    const { code, stdout, stderr } = await run(args, { cwd, env: environment(), input });
    assert.equal(code, 0, stderr);
    printed.push(stderr);
    return stdout;
  }

  async function ask(
    method: string,
    path: string,
    sent: Asked & { readonly json?: unknown } = {},
  ): Promise<Bytes> {
    const json = sent.json === undefined ? {} : { 'Content-Type': 'application/json' };
    const body = sent.json === undefined ? sent.body : JSON.stringify(sent.json);
    const answer = await exchange({ port, method, path, headers: { ...json, ...sent.headers }, body });
    if (answer.status >= 400) errorAnswers.push(answer);
    return answer;
  }

  function browser(): PageClient {
    const origin = `http://localhost:${port}`;
    return pageClient({ url: `http://127.0.0.1:${port}`, origin });
  }

  async function authenticate(accessKey: string): Promise<string> {
    const { text } = await ask('POST', '/api/v2/authenticate', { json: { access_key: accessKey } });
    return JSON.parse(text).token;
  }

  function usedCookies(name: string, visitor: PageClient): void {
    for (const cookie of ['session', 'visitor']) {
      const value = visitor.cookie(cookie);
      if (value !== undefined) used(`${name}: ${cookie}`, value);
    }
  }

  async function useEverything(): Promise<void> {
    const [imported = ''] = [people[0]?.access_key];
    const token = used('a token', await authenticate(imported));
    used('the signature of a token', token.split('.')[2] ?? '');
    const call = async (method: string, path: string, json?: unknown) =>
      JSON.parse(
        (
          await ask(method, `/api/v2/organizations/1${path}`, {
            headers: { Authorization: `Bearer ${token}` },
            ...(json !== undefined && { json }),
          })
        ).text,
      );

    // Webhooks: created, rotated, delivering, failing in several ways.
    const webhook = (url: string) => ({ webhook: { url, enabled: true, events: ['user.registered'] } });
    const made = await call('POST', '/webhook', webhook(`${receiver.url}/hook`));
    used('a signing secret', made.webhook.secret);
    const rotated = await call('PATCH', '/webhook', { webhook: { enabled: true }, regenerate_secret: '1' });
    used('the rotated signing secret', rotated.webhook.secret);
    await accept('ada', call);
    await server.see(/"msg":"Delivered"/);
    for (const [name, url] of [
      ['fails', `${receiver.url}/fails`],
      ['closed', `https://127.0.0.1:${await freePort()}/hook`],
      ['inner', 'https://127.0.0.2/hook'],
    ] as const) {
      await call('PATCH', '/webhook', webhook(url));
      await accept(name, call);
    }
    await waitFor(() => [...server.stdout().matchAll(/"msg":"Delivery failed"/g)].length >= 3);

    // Login links: redeemed, and left alone.
    const links = [1, 2].map(() => call('POST', `/users/${uuid(1)}/generate_otl_url`));
    for (const [index, { otl_url }] of (await Promise.all(links)).entries()) {
      const path = new URL(otl_url).pathname;
      used(`login link ${index}`, path.slice('/login/'.length));
      const visitor = browser();
      await visitor.open(path);
      if (index === 0) await visitor.fillIn(path, {});
      usedCookies(`login link ${index}`, visitor);
      used(`form of login link ${index}`, formFields((await visitor.open('/sign-in')).text).form_token ?? '');
    }

    await signInAndOut();
    await sendNonsense({ token, accessKey: imported });

    // A new access key while the service runs.
    const key = JSON.parse(await command(['access-key', 'generate', '--organization', '1', '--json']));
    used('a new access key', key.access_key ?? key.accessKey);
    used('a token of the new access key', await authenticate(key.access_key ?? key.accessKey));
    await call('GET', '/webhook').catch(() => undefined);
  }

  async function accept(
    name: string,
    call: (
      method: string,
      path: string,
      json: unknown,
    ) => Promise<{ readonly user: { invitation_url: string } }>,
  ): Promise<void> {
    const person = { email: `${name}@example.test`, first_name: 'A', last_name: 'B' };
    const { user } = await call('POST', '/invite_user', person);
    const path = new URL(user.invitation_url).pathname;
    used(`invitation of ${name}`, path.slice('/invitations/'.length));
    const visitor = browser();
    const password = used(`password of ${name}`, `a password of ${name}, chosen`);
    const wrong = used(`password of ${name} in a wrong form`, `another password of ${name}`);
    await visitor.fillIn(path, { password: wrong, first_name: '' });
    const { status } = await visitor.fillIn(path, { password });
    assert.equal(status, 303);
    usedCookies(`invitation of ${name}`, visitor);
  }

  async function signInAndOut(): Promise<void> {
    const visitor = browser();
    usedCookies('before signing in', visitor);
    const password = secrets.get('the owner’s password') ?? '';
    const wrong = used('a wrong password', 'not the right password');
    await visitor.fillIn('/sign-in', { email: 'owner@example.test', password: wrong });
    await visitor.fillIn('/sign-in', { email: 'nobody@example.test', password: wrong });
    await server.see(/"security":"sign-in-failed","address":"127\.0\.0\.1","account":"owner@example\.test"/);
    // In the wrong field: it must not be logged as the account.
    await visitor.fillIn('/sign-in', { email: password, password: wrong });
    await server.see(/"security":"sign-in-failed","address":"127\.0\.0\.1","msg"/);
    const { status } = await visitor.fillIn('/sign-in', { email: 'owner@example.test', password });
    assert.equal(status, 303);
    usedCookies('signed in', visitor);
    await visitor.open('/organizations/1/meetings');
    await useCalendar(visitor);
    await visitor.fillIn('/organizations/1/meetings', {}, '/sign-out');
    usedCookies('signed out', visitor);
  }

  /** Two calendar addresses: one that is replaced, and the one that replaces it. */
  async function useCalendar(visitor: PageClient): Promise<void> {
    for (const [name, page] of [
      ['a calendar address', ''],
      ['a new calendar address', '/replace'],
    ] as const) {
      const home = '/organizations/1/calendar';
      const { text } = await visitor.fillIn(`${home}${page}`, {}, home);
      const [path = ''] = /\/calendar\/[^/<]+\.ics/.exec(text) ?? [];
      used(name, path.slice('/calendar/'.length, -'.ics'.length));
      const { status } = await ask('GET', path, { headers: { Accept: 'text/calendar' } });
      assert.equal(status, 200);
    }
  }

  /** Secrets in unexpected places: URLs, headers, broken bodies, and invalid HTTP. */
  async function sendNonsense({ token, accessKey }: { readonly token: string; readonly accessKey: string }) {
    const wrong = used('a wrong access key', '700100200300400500600700');
    await authenticate(wrong);
    await server.see(/"security":"authenticate-failed","address":"127\.0\.0\.1"/);
    const authorization = { Authorization: `Bearer ${token}` };
    const json = { ...authorization, 'Content-Type': 'application/json' };
    const both = `access_key=${accessKey}&token=${token}&password=${encodeURIComponent(secrets.get('a wrong password') ?? '')}`;
    await ask('POST', `/api/v2/authenticate?${both}`, { json: { access_key: [accessKey], token } });
    await ask('POST', '/api/v2/authenticate', { headers: json, body: `{"access_key":"${accessKey}",` });
    await ask('POST', '/api/v2/authenticate', { headers: { 'Content-Type': 'text/plain' }, body: accessKey });
    await ask('GET', `/api/v2/organizations/${token}/webhook`, { headers: authorization });
    await ask('GET', `/api/v2/organizations/2/webhook?${both}`, { headers: authorization });
    await ask('POST', `/api/v2/organizations/1/users/${token}/generate_otl_url`, { headers: authorization });
    await ask('GET', `/api/v2/organizations/1/members/${token}/upcoming_meetings`, {
      headers: authorization,
    });
    await ask('GET', `/api/v2/organizations/1/export_meetings?column=${token}`, { headers: authorization });
    await ask('GET', `/api/v2/${token}`, { headers: authorization });
    await ask('GET', `/${token}%zz/${accessKey}`);
    await ask('DELETE', `/api/v2/authenticate/${accessKey}`);
    await ask('PUT', '/api/v2/authenticate', { headers: json, body: both });
    await ask('POST', '/api/v2/organizations/1/invite_user', { headers: json, body: `["${token}"]` });
    await ask('POST', '/api/v2/organizations/1/webhook', {
      headers: json,
      body: JSON.stringify({ webhook: { url: `https://x:${token}@${accessKey}/`, enabled: token } }),
    });
    await ask('POST', '/api/v2/organizations/1/webhook', {
      headers: json,
      body: token.repeat(300).padEnd(200_000),
    });
    await ask('GET', '/api/v2/organizations/1/webhook', { headers: { Authorization: `Basic ${token}` } });
    await ask('GET', '/healthz', {
      headers: { 'X-Request-Id': `${token}${token}`, Cookie: `session=${token}` },
    });
    await ask('GET', '/sign-in', { headers: { Accept: 'text/html', Referer: `http://x/?${both}` } });
    for (const path of ['/invitations/', '/login/', '/calendar/']) {
      await ask('GET', `${path}${token}`, { headers: { Accept: 'text/html' } });
      await ask('POST', `${path}${accessKey}/${token}?${both}`, {
        headers: { Accept: 'text/html' },
        body: both,
      });
    }
    for (const bytes of [
      `GET /${token} HTTP/9.9\r\n\r\n`,
      `GET /?${both} HTTP/1.1\r\nHost: x\r\nAuthorization Bearer ${token}\r\n\r\n`,
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\nX: ${token}\r\n\r\n${accessKey}`,
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${token.repeat(200)}\r\n\r\n`,
      `${accessKey} ${token}\r\n\r\n`,
      `CONNECT ${accessKey}:443 HTTP/1.1\r\nHost: x\r\n\r\n`,
    ]) {
      const text = await exchangeBytes(port, bytes);
      assert.match(text, /^HTTP\/1\.1 4\d\d /, bytes.slice(0, 60));
      assert.deepEqual(foundInternals(text), []);
    }
  }

  async function waitFor(isThere: () => boolean): Promise<void> {
    for (let waited = 0; !isThere(); waited += 50) {
      assert.ok(waited < 20_000, server.stdout().slice(-2000));
      await pause(50);
    }
  }

  /** Before the end, while a write-ahead log exists, and after it. */
  async function findEverything(): Promise<void> {
    await pause(200);
    keepFiles('while it runs');
    const { code, stdout, stderr } = await server.stop();
    assert.equal(code, 0);
    places.set('standard output', Buffer.from(stdout));
    places.set('standard error', Buffer.from([stderr, ...printed].join('\n')));
    keepFiles('after its end');
  }

  function keepFiles(when: string): void {
    const data = join(cwd, 'data');
    for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
      const file = join(data, name);
      if (statSync(file).isFile()) places.set(`${relative(cwd, file)} ${when}`, readFileSync(file));
    }
  }

  test('come from a whole day: every kind of secret was used, and every file and both outputs exist', () => {
    const kinds = [
      ...['access key', 'a token', 'signing secret', 'invitation of', 'login link', 'session', 'visitor'],
      ...['password of', 'form of', 'a wrong password', 'SECRET_KEY', 'calendar address'],
    ];
    for (const kind of kinds)
      assert.ok(
        [...secrets.keys()].some((name) => name.includes(kind)),
        kind,
      );
    assert.ok(secrets.size >= 30, `${secrets.size}`);
    for (const place of [
      'rollcall.db while',
      'rollcall.db-wal while',
      'rollcall.db-shm while',
      'rollcall.db after',
    ]) {
      assert.ok(
        [...places.keys()].some((name) => name.includes(place)),
        place,
      );
    }
    const lines = linesOf(places.get('standard output')?.toString() ?? '');
    assert.ok(lines.length > 60, `${lines.length}`);
    assert.ok(lines.some((line) => JSON.parse(line).level === 20));
    assert.ok(receiver.requests.length >= 2);
    // Values that are not secret are found, so the search reads the right files.
    const harmless = new Map([['an address', 'owner@example.test']]);
    assert.ok(foundTraces(harmless, places).some((found) => found.includes('data/rollcall.db')));
  });

  test('contain no access key, token, link, cookie, password, signing secret or SECRET_KEY, in any form', () => {
    assert.deepEqual(foundTraces(secrets, places), []);
  });

  test('contain no random part of a session or a link', () => {
    const signing = [...secrets].flatMap(([name, secret]) =>
      secret.startsWith('whsec_') ? [[name, secret.slice('whsec_'.length)] as const] : [],
    );
    const parts = [...secrets].flatMap(([name, secret]) =>
      /session|login link|invitation|form of|calendar/.test(name)
        ? secret
            .split('.')
            .flatMap((part, index) => (index === 0 ? [] : [[`${name}, part ${index}`, part] as const]))
        : [],
    );
    // The id of an invitation is stored, as bytes in its token and as a UUID in the database: it opens nothing.
    const opening = [...signing, ...parts.filter(([name]) => !/^invitation of \w+, part 1$/.test(name))];
    assert.ok(opening.length >= 10);
    assert.deepEqual(foundTraces(new Map(opening), places), []);
    const bytes = opening.map(([name, part]) => [name, Buffer.from(part, 'base64url')] as const);
    for (const [name, random] of bytes) {
      const found = [...places].filter(
        ([, place]) => place.includes(random) || place.includes(random.toString('hex')),
      );
      assert.deepEqual([name, found.map(([place]) => place)], [name, []]);
    }
  });

  test('contain only the patterns of URLs, and no URL, body or header of a request', () => {
    for (const line of linesOf(places.get('standard output')?.toString() ?? '')) {
      const { msg, route, ...rest } = JSON.parse(line);
      if (msg !== 'request') continue;
      const known = [
        'level',
        'time',
        'requestId',
        'method',
        'status',
        'duration',
        'organizationId',
        'cutOff',
      ];
      assert.deepEqual(
        Object.keys(rest).filter((name) => !known.includes(name)),
        [],
      );
      assert.match(String(route), /^(?:null|\/[\w/:.-]*)$/);
      assert.doesNotMatch(String(route), /\d{4}|eyJ/);
    }
  });

  test('the error answers contained no version, path, SQL or stack, and no secret from the request', () => {
    assert.ok(errorAnswers.length >= 20);
    const statuses = new Set(errorAnswers.map(({ status }) => status));
    for (const status of [400, 401, 404, 405, 413, 415, 422]) assert.ok(statuses.has(status), String(status));
    for (const { text, rawHeaders } of errorAnswers) {
      assert.deepEqual(foundInternals(`${rawHeaders.join('\n')}\n${text}`), []);
    }
    const answers = new Map(errorAnswers.map(({ body }, index) => [String(index), body]));
    const sent = new Map([...secrets].filter(([name]) => !/form of|visitor/.test(name)));
    assert.deepEqual(foundTraces(sent, answers), []);
  });
});

describe('Public answers', () => {
  test('/openapi.json, /readyz, /healthz and the pages do not reveal how the service is built', async (t) => {
    const site = await startSite({ database: 'sqlite' });
    t.after(() => site.stop());
    for (const path of [
      '/openapi.json',
      '/readyz',
      '/healthz',
      '/sign-in',
      '/no/page',
      '/assets/rollcall.css',
    ]) {
      const { text, rawHeaders } = await site.ask('GET', path, { headers: { Accept: 'text/html,*/*' } });
      assert.deepEqual(foundInternals(`${rawHeaders.join('\n')}\n${text}`), [], path);
      assert.doesNotMatch(rawHeaders.join('\n'), /^(?:server|x-powered-by|via)$/im);
    }
    const { version } = openapi().info;
    const { text } = await site.ask('GET', '/openapi.json');
    assert.equal(JSON.parse(text).info.version, version, 'the version of the interface, not of the program');
  });

  test('an internal failure reveals nothing', async (t) => {
    const site = await startSite({
      app: { ready: () => Promise.reject(new Error('connect ECONNREFUSED /var/lib/postgres:5432')) },
    });
    t.after(() => site.stop());
    const bug = () => {
      const error = new TypeError('SELECT password_hash FROM users WHERE secret = 1 at /srv/x.js:1:2');
      return Promise.reject(Object.assign(error, { code: 'SQLITE_ERROR', sql: 'SELECT 1', status: 599 }));
    };
    site.replace('organizations', { byAccessKeyHash: bug, byId: bug });
    site.replace('sessions', { find: bug });
    site.replace('invitations', { byId: bug });
    const { keyring, ports, clock } = site;
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const claims = { organizationId: 1, generation: 1, issuedAt: clock.now(), expiresAt };
    const token = (await ports.tokens.issue(claims)).reveal();
    const session = ports.secrets.newToken('session').token.reveal();
    const id = uuid(1);
    const invitation = ports.secrets.invitationToken({ id, keyId: keyring.current.id }).reveal();
    const json = { 'Content-Type': 'application/json' };
    const html = { Accept: 'text/html', Cookie: `session=${session}` };
    const key = JSON.stringify({ access_key: '1'.repeat(24) });
    const answers = [
      await site.ask('POST', '/api/v2/authenticate', { headers: json, body: key }),
      await site.ask('GET', '/api/v2/organizations/1/webhook', {
        headers: { Authorization: `Bearer ${token}` },
      }),
      await site.ask('GET', '/api/v2/organizations/1/export_meetings', {
        headers: { Authorization: `Bearer ${token}` },
      }),
      await site.ask('GET', '/readyz'),
      await site.ask('GET', '/meetings', { headers: html }),
      await site.ask('GET', `/invitations/${invitation}`, { headers: html }),
      await site.ask('GET', `/invitations/${invitation}`, { headers: { Accept: 'text/html;q=0.5' } }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [500, 500, 400, 503, 500, 500, 500],
    );
    for (const { text, rawHeaders } of answers) {
      assert.deepEqual(foundInternals(`${rawHeaders.join('\n')}\n${text}`), []);
    }
    assert.ok(site.reports.length >= 5);
  });
});

test('the search finds a secret in every form, at every position', () => {
  const secret = 'A secret/with+all=sorts?';
  for (const [form, trace] of tracesOf(secret)) {
    const places = new Map([['a file', Buffer.concat([Buffer.from('xx'), trace, Buffer.from('yy')])]]);
    assert.ok(foundTraces(new Map([['it', secret]]), places).includes(`it ${form} in a file`), form);
  }
  for (const before of ['', 'a', 'ab', 'abc']) {
    for (const after of ['', 'a', 'ab']) {
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        const text = Buffer.from(`${before}${secret}${after}`).toString(encoding);
        const places = new Map([['a file', Buffer.from(text)]]);
        assert.notDeepEqual(foundTraces(new Map([['it', secret]]), places), [], `${before} ${encoding}`);
      }
    }
  }
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, run, start, temporaryDirectory } from '../support/app-cli.js';
import { type Bytes, exchange, exchangeRaw, type Sent } from '../support/http/client.js';
import { startMailServer, textOf } from '../support/mail-server.js';
import { follow, type PageClient, pageClient } from '../support/page/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { foundInternals } from '../support/security/traces.js';
import { webhookAt } from '../support/webhook-at.js';

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

/** What a service with LOG_LEVEL=debug has left behind after every feature was used. */
export interface DayOfUse {
  /** The secrets that were used, by name: none may be found anywhere. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Every file, while the service ran and afterwards, and both outputs. */
  readonly places: ReadonlyMap<string, Buffer>;
  /** Every answer with a status of 400 or more. */
  readonly errorAnswers: readonly Bytes[];
  readonly receiver: Receiver;
  remove(): Promise<void>;
}

/** Uses every feature of a served app, also with secrets in wrong places, and keeps what it leaves behind. */
export async function useServiceForADay(): Promise<DayOfUse> {
  const secrets = new Map<string, string>([['SECRET_KEY', secretKey]]);
  const printed: string[] = [];
  const errorAnswers: Bytes[] = [];
  const places = new Map<string, Buffer>();
  const directory = temporaryDirectory();
  const cwd = directory.path;
  const port = await freePort();
  const receiver = await startReceiver({
    answer: (request, response) => response.writeHead(request.url === '/fails' ? 500 : 200).end(),
  });
  const mailServer = await startMailServer();
  writeFileSync(join(cwd, 'ca.pem'), receiver.authority);
  writeFileSync(join(cwd, 'people.ndjson'), people.map((record) => JSON.stringify(record)).join('\n'));
  for (const { id, access_key } of people) {
    if (access_key !== undefined) used(`an imported access key of organization ${id}`, access_key);
  }
  await command(['import', 'people.ndjson']);
  await command(
    ['user', 'set-password', '--email', 'owner@example.test'],
    used('the owner’s password', 'correct horse battery'),
  );
  const server = start(['serve'], { cwd, env: environment() });
  const remove = async (): Promise<void> => {
    await server.discard();
    await receiver.stop();
    await mailServer.stop();
    directory.remove();
  };
  try {
    await server.see(/"msg":"Listening"/);
    await useEverything();
    await keepEverything();
  } catch (error) {
    await remove();
    throw error;
  }
  return { secrets, places, errorAnswers, receiver, remove };

  function used(name: string, secret: string): string {
    assert.ok(secret.length >= 12, `${name} is too short to search for`);
    secrets.set(name, secret);
    return secret;
  }

  function environment(): Record<string, string> {
    return {
      PORT: String(port),
      SECRET_KEY: secretKey,
      LOG_LEVEL: 'debug',
      DATABASE_URL: 'sqlite:data/rollcall.db',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
      WEBHOOK_CA_FILE: 'ca.pem',
      SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      MAIL_FROM: 'rollcall@example.test',
    };
  }

  async function command(args: readonly string[], input = ''): Promise<string> {
    const { code, stdout, stderr } = await run(args, { cwd, env: environment(), input });
    assert.equal(code, 0, stderr);
    printed.push(stderr);
    return stdout;
  }

  async function send(method: string, path: string, sent?: Sent): Promise<Bytes> {
    const answer = await exchange({ port, method, path, sent });
    if (answer.status >= 400) errorAnswers.push(answer);
    return answer;
  }

  function browser(): PageClient {
    const origin = `http://localhost:${port}`;
    return pageClient({ url: `http://127.0.0.1:${port}`, origin });
  }

  async function authenticate(accessKey: string): Promise<string> {
    const { text } = await send('POST', '/api/v2/authenticate', { json: { access_key: accessKey } });
    return JSON.parse(text).token;
  }

  function usedCookies(name: string, visitor: PageClient): void {
    for (const cookie of ['session', 'visitor', 'shown-once']) {
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
          await send(method, `/api/v2/organizations/1${path}`, {
            headers: { Authorization: `Bearer ${token}` },
            ...(json !== undefined && { json }),
          })
        ).text,
      );

    // Webhooks: created, rotated, delivering, failing in several ways.
    const webhook = (url: string) => ({ webhook: webhookAt(url) });
    const made = await call('POST', '/webhook', webhook(`${receiver.url}/hook`));
    used('a signing secret', made.webhook.secret);
    const rotated = await call('PATCH', '/webhook', {
      webhook: { enabled: true },
      regenerate_secret: '1',
      overlap_hours: 1,
    });
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
      used(`form of login link ${index}`, (await visitor.fieldsOf('/sign-in')).form_token ?? '');
    }

    await signInAndOut();
    await resetPassword();
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
    // A password must not contain the name.
    const own = Buffer.from(name).toString('hex');
    const password = used(`password of ${name}`, `a chosen password ${own}`);
    const wrong = used(`password of ${name} in a wrong form`, `another password ${own}`);
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

  /** With the link of a mail: opened, used with a wrong password, and redeemed. */
  async function resetPassword(): Promise<void> {
    const visitor = browser();
    await visitor.fillIn('/forgot-password', { email: 'owner@example.test' });
    const link = /\/reset-password\/(\S+)/;
    await waitFor(() => mailServer.received.some((mail) => link.test(textOf(mail))));
    const path = link.exec(mailServer.received.map(textOf).join('\n')) ?? assert.fail('no mail');
    used('password reset link', path[1] ?? '');
    await visitor.open(path[0]);
    const wrong = used('a new password that is too common', 'password1234');
    assert.equal((await visitor.fillIn(path[0], { new_password: wrong })).status, 422);
    const password = used('password of the owner after a reset', 'eleven quiet lanterns');
    assert.equal((await visitor.fillIn(path[0], { new_password: password })).status, 303);
    usedCookies('reset', visitor);
  }

  /** Two calendar addresses: one that is replaced, and the one that replaces it. */
  async function useCalendar(visitor: PageClient): Promise<void> {
    for (const [name, page] of [
      ['a calendar address', ''],
      ['a new calendar address', '/replace'],
    ] as const) {
      const home = '/organizations/1/calendar';
      const sent = await visitor.fillIn(`${home}${page}`, {}, home);
      usedCookies(name, visitor);
      const { text } = await follow(visitor, sent);
      const [path = ''] = /\/calendar\/[^/<]+\.ics/.exec(text) ?? [];
      used(name, path.slice('/calendar/'.length, -'.ics'.length));
      const { status } = await send('GET', path, { headers: { Accept: 'text/calendar' } });
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
    await send('POST', `/api/v2/authenticate?${both}`, { json: { access_key: [accessKey], token } });
    await send('POST', '/api/v2/authenticate', { headers: json, body: `{"access_key":"${accessKey}",` });
    await send('POST', '/api/v2/authenticate', {
      headers: { 'Content-Type': 'text/plain' },
      body: accessKey,
    });
    await send('GET', `/api/v2/organizations/${token}/webhook`, { headers: authorization });
    await send('GET', `/api/v2/organizations/2/webhook?${both}`, { headers: authorization });
    await send('POST', `/api/v2/organizations/1/users/${token}/generate_otl_url`, { headers: authorization });
    await send('GET', `/api/v2/organizations/1/members/${token}/upcoming_meetings`, {
      headers: authorization,
    });
    await send('GET', `/api/v2/organizations/1/export_meetings?column=${token}`, { headers: authorization });
    await send('GET', `/api/v2/${token}`, { headers: authorization });
    await send('GET', `/${token}%zz/${accessKey}`);
    await send('DELETE', `/api/v2/authenticate/${accessKey}`);
    await send('PUT', '/api/v2/authenticate', { headers: json, body: both });
    await send('POST', '/api/v2/organizations/1/invite_user', { headers: json, body: `["${token}"]` });
    await send('POST', '/api/v2/organizations/1/webhook', {
      headers: json,
      body: JSON.stringify({ webhook: { url: `https://x:${token}@${accessKey}/`, enabled: token } }),
    });
    await send('POST', '/api/v2/organizations/1/webhook', {
      headers: json,
      body: token.repeat(300).padEnd(200_000),
    });
    await send('GET', '/api/v2/organizations/1/webhook', { headers: { Authorization: `Basic ${token}` } });
    await send('GET', '/healthz', {
      headers: { 'X-Request-Id': `${token}${token}`, Cookie: `3000-session=${token}` },
    });
    await send('GET', '/sign-in', { headers: { Accept: 'text/html', Referer: `http://x/?${both}` } });
    for (const path of ['/invitations/', '/login/', '/calendar/', '/reset-password/']) {
      await send('GET', `${path}${token}`, { headers: { Accept: 'text/html' } });
      await send('POST', `${path}${accessKey}/${token}?${both}`, {
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
      const text = await exchangeRaw(port, [bytes]);
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

  /** Keeps the files while the service runs, with a write-ahead log, and after its end. */
  async function keepEverything(): Promise<void> {
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
}

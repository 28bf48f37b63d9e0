import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { authenticate, postJson, tokenOf } from '../support/api.js';
import { freePort, type Running, run, start, temporaryDirectory } from '../support/app-cli.js';
import { selfSigned } from '../support/certificates.js';
import { startPostgresUrl } from '../support/postgres.js';
import { checkProxy, guideBlock, isInstalled, type RunningProxy, runProxy } from '../support/proxies.js';

/** The rules by which a proxy finds the cell of a request. */
interface CellRules {
  /** The port of each cell, by its name. */
  readonly ports: Readonly<Record<string, number>>;
  /** Cells by the first part of their tokens, which names the secret key. */
  readonly byToken: Readonly<Record<string, string>>;
  /** Cells by the digits with which their access keys begin. */
  readonly byKey: Readonly<Record<string, string>>;
  /** The cell of everything else, so that one of them refuses it. */
  readonly others: string;
}

/**
 * A proxy for several cells that knows nothing of Rollcall but its rules, as in `contracts/scale.md`: a path of a cell, the
 * token of a request, or the access key in the body of `authenticate`.
 */
async function startCellProxy(port: number, rules: CellRules): Promise<RunningProxy> {
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const { path, cell } = destination(incoming, body, rules);
    forward({ incoming, outgoing, body, path, port: rules.ports[cell] ?? 0 });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** HAProxy with the configuration of `contracts/scale.md`, in which local ports and files replace those of the guide. */
async function startCellHaproxy(port: number, rules: CellRules): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-cells-'));
  const files = { 'cells-by-key.map': rules.byKey, 'cells-by-token.map': rules.byToken };
  for (const [name, cells] of Object.entries(files)) {
    const lines = Object.entries(cells).map(([start, cell]) => `${start} ${cell}\n`);
    writeFileSync(join(folder, name), lines.join(''));
  }
  let text = haproxyText()
    .replace(/bind .*/, `bind 127.0.0.1:${port}`)
    .replaceAll('/etc/haproxy/', `${folder}/`);
  for (const [cell, ofCell] of Object.entries(rules.ports))
    text = text.replace(
      new RegExp(`(\\nbackend ${cell}\\n(?:  .*\\n)*?  server one )\\S+`),
      `$1127.0.0.1:${ofCell}`,
    );
  return runProxy('haproxy', { text, folder, port, isUp: () => true });
}

/** The configuration of `contracts/scale.md` below the defaults of `contracts/operating.md`. */
function haproxyText(): string {
  const [defaults = ''] = guideBlock('haproxy').split('\nfrontend ');
  return `${defaults}\n${guideBlock('haproxy', 'scale.md')}`;
}

function destination(
  { url = '/', headers }: IncomingMessage,
  body: Buffer,
  { ports, byToken, byKey, others }: CellRules,
): { readonly path: string; readonly cell: string } {
  const [, first = ''] = url.split('/', 2);
  if (first in ports) return { path: url.slice(first.length + 1), cell: first };
  if (url === '/api/v2/authenticate') {
    const key = /"access_key"\s*:\s*"(\d+)"/.exec(body.toString())?.[1] ?? '';
    const [, cell = others] = Object.entries(byKey).find(([prefix]) => key.startsWith(prefix)) ?? [];
    return { path: url, cell };
  }
  const head = /^Bearer ([^.]+)\./.exec(headers.authorization ?? '')?.[1] ?? '';
  return { path: url, cell: byToken[head] ?? others };
}

function forward({
  incoming,
  outgoing,
  body,
  path,
  port,
}: {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
  readonly path: string;
  readonly port: number;
}): void {
  const { method, headers } = incoming;
  const forwarded = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.writeHead(502).end());
  forwarded.end(body);
}

interface Cell {
  readonly name: Name;
  readonly organizationId: number;
  readonly accessKey: string;
  readonly port: number;
}

const prefixes = { north: '01', south: '02' } as const;
type Name = keyof typeof prefixes;

describe('Two cells behind one address', () => {
  const directory = temporaryDirectory();
  const cwd = directory.path;
  const stops: (() => Promise<unknown>)[] = [];
  const cells: Cell[] = [];
  const byToken: Record<string, string> = {};
  let url = '';
  const hasHaproxy = isInstalled('haproxy');
  before(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    for (const name of ['north', 'south'] as const) cells.push(await startCell(name));
    const rules: CellRules = {
      ports: Object.fromEntries(cells.map((cell) => [cell.name, cell.port])),
      byToken,
      byKey: Object.fromEntries(Object.entries(prefixes).map(([name, prefix]) => [prefix, name])),
      others: 'north',
    };
    const startProxy = hasHaproxy ? startCellHaproxy : startCellProxy;
    // At another port: a request on a connection that the first one has just closed would fail.
    const first = await startProxy(await freePort(), rules);
    try {
      for (const cell of cells) {
        const [head = ''] = (await tokenOf(`${first.url}/${cell.name}`, cell.accessKey)).split('.');
        byToken[head] = cell.name;
      }
    } finally {
      await first.stop();
    }
    const proxy = await startProxy(port, rules);
    stops.unshift(proxy.stop);
  });
  after(async () => {
    for (const stop of stops) await stop();
    directory.remove();
  });

  async function startCell(name: Name): Promise<Cell> {
    const postgres = await startPostgresUrl({ migrated: true });
    stops.unshift(postgres.stop);
    const port = await freePort();
    const env = {
      DATABASE_URL: postgres.url,
      SECRET_KEY: `the secret key of the cell in the ${name}`,
      ACCESS_KEY_PREFIX: prefixes[name],
      PUBLIC_URL: `${url}/${name}`,
      PORT: String(port),
    };
    const command = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await run([...args, '--json'], { cwd, env });
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    const { id } = await command('organization', 'create', '--name', `Clinic ${name}`);
    const { access_key: accessKey } = await command('access-key', 'generate', '--organization', String(id));
    const server: Running = start(['serve'], { cwd, env });
    stops.unshift(() => server.discard());
    await server.see(/"msg":"Listening"/);
    return { name, organizationId: id, accessKey, port };
  }

  const invite = async ({ organizationId }: Cell, token: string, email: string) => {
    const person = { email, first_name: 'Ada', last_name: 'Lovelace' };
    const answer = await postJson(`${url}/api/v2/organizations/${organizationId}/invite_user`, person, token);
    return { status: answer.status, json: await answer.json() };
  };

  test('the proxy is HAProxy with the text of the guide, where it is installed', async (t) => {
    assert.match(haproxyText(), /^defaults\n[\s\S]*\nfrontend rollcall\n[\s\S]*\nbackend south\n/);
    if (!hasHaproxy)
      return t.diagnostic('haproxy is not installed here: a proxy of the tests stands in for it');
    // The files of the map are those of the machine.
    const text = haproxyText().replaceAll(/,map(?:_beg)?\(\S+\)/g, '');
    const { status, output } = await checkProxy('haproxy', text, await selfSigned());
    assert.deepEqual([status, /warning|alert/i.test(output)], [0, false], output);
  });

  test('new access keys begin with the digits of their cell', () => {
    for (const { name, accessKey } of cells)
      assert.match(accessKey, new RegExp(`^${prefixes[name]}\\d{22}$`));
  });

  test('a key gets a token, and the token invites, without a word about the cell', async () => {
    for (const cell of cells) {
      const token = await tokenOf(url, cell.accessKey);
      const { status, json } = await invite(cell, token, `ada@${cell.name}.test`);
      assert.equal(status, 200);
      const listed = await fetch(`${url}/api/v2/organizations/${cell.organizationId}/invitations`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      const { invitations } = (await listed.json()) as { invitations: readonly { email: string }[] };
      assert.deepEqual(
        invitations.map(({ email }) => email),
        [`ada@${cell.name}.test`],
      );
      assert.ok(json.user.invitation_url.startsWith(`${url}/${cell.name}/`), json.user.invitation_url);
      const page = await fetch(json.user.invitation_url);
      assert.equal(page.status, 200);
      assert.match(await page.text(), new RegExp(`Clinic ${cell.name}`));
    }
  });

  test('keys and tokens that no cell knows are refused', async () => {
    assert.equal((await authenticate(url, '9'.repeat(24))).status, 401);
    const [north, south] = cells;
    assert.ok(north && south);
    const [, ...forged] = (await tokenOf(url, north.accessKey)).split('.');
    const [head] = (await tokenOf(url, south.accessKey)).split('.');
    assert.equal((await invite(south, [head, ...forged].join('.'), 'eve@cells.test')).status, 401);
  });
});

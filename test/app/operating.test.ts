import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '#app/error-messages.js';
import { readPanels } from '../support/alerts/dashboard.js';
import { metricsIn, readRules } from '../support/alerts/rules.js';
import { run } from '../support/app-cli.js';
import { selfSigned } from '../support/certificates.js';
import { checkProxy, guideBlock, isInstalled, refusalOf, withProxy } from '../support/proxies.js';

const guide = readFileSync(
  fileURLToPath(new URL('../../../contracts/operating.md', import.meta.url)),
  'utf8',
);

describe('The operator’s guide', () => {
  test('its systemd unit restarts without a limit after every failure except a wrong configuration', (t) => {
    const unit = guideBlock('ini');
    const settings = new Map(
      unit.split('\n').flatMap((line) => {
        const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
        return name === undefined ? [] : [[name, value] as const];
      }),
    );
    assert.deepEqual(
      ['Restart', 'RestartPreventExitStatus', 'StartLimitIntervalSec', 'RestartSec'].map((name) =>
        settings.get(name),
      ),
      ['on-failure', String(exitCodes.usage), '0', '5'],
    );
    const before = unit.slice(0, unit.indexOf('[Service]'));
    assert.match(
      before,
      /StartLimitIntervalSec=0/,
      'the setting is in the section of the unit, not of the service',
    );
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
      return t.diagnostic('systemd is not installed here: only the text of the unit was checked');
    }
    const folder = mkdtempSync(join(tmpdir(), 'rollcall-unit-'));
    try {
      const file = join(folder, 'rollcall.service');
      writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
        encoding: 'utf8',
      });
      assert.deepEqual([status, stdout], [0, ''], stderr);
      assert.ok(!stderr.includes('rollcall.service:'), stderr);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('names every exit code, as --help does', async () => {
    const { stdout } = await run(['--help'], { cwd: tmpdir() });
    for (const code of [0, ...Object.values(exitCodes)]) {
      assert.match(guide, new RegExp(`^\\| ${code} \\| `, 'm'));
      assert.match(stdout, new RegExp(`^ {2}${code} +\\w`, 'm'));
    }
  });

  test('says what to watch with the names of the alerts and of the panels that show it', () => {
    const section = guide.split('## What to watch')[1]?.split('\n## ')[0] ?? '';
    const rules = new Map(readRules().map(({ alert, expr }) => [alert, expr]));
    const alertsIn = (text: string): readonly string[] => text.match(/\bRollcall[A-Z]\w+/g) ?? [];
    assert.deepEqual(
      alertsIn(section).filter((alert) => !rules.has(alert)),
      [],
    );
    const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
    assert.equal(rows.length, 9);
    for (const row of rows.slice(1)) {
      const [figure = '', , , alerts = '', shown = ''] = row.slice(2, -2).split(' | ');
      const panels = readPanels().filter(({ title }) => shown.split('; ').includes(title));
      assert.deepEqual(panels.map(({ title }) => title).sort(), shown.split('; ').sort());
      const asked = [
        metricsIn(
          alertsIn(alerts)
            .map((alert) => rules.get(alert))
            .join(' '),
        ),
        metricsIn(panels.flatMap(({ expressions }) => expressions).join(' ')),
      ];
      for (const metric of metricsIn(figure))
        assert.deepEqual([figure, asked.map((names) => names.includes(metric))], [figure, [true, true]]);
    }
  });

  test('tells PgBouncer to reconnect after a short time', () => {
    assert.match(guideBlock('pgbouncer'), /^server_login_retry = 1$/m);
  });

  for (const kind of ['haproxy', 'nginx'] as const) {
    test(`its ${kind} configuration is accepted as it is written`, async (t) => {
      if (!isInstalled(kind)) return t.diagnostic(`${kind} is not installed here`);
      const { status, output } = await checkProxy(kind, guideBlock(kind), await selfSigned());
      assert.deepEqual([status, /warning|alert|emerg/i.test(output)], [0, false], output);
    });

    test(`its ${kind} configuration sends requests to the running instance, and answers our 503 if there is none`, async (t) => {
      const text = guideBlock(kind);
      assert.match(text, /Service Unavailable/);
      if (kind === 'haproxy') assert.match(text, /timeout check 6s/);
      if (!isInstalled(kind)) {
        return t.diagnostic(`${kind} is not installed here: only the text of its configuration was checked`);
      }
      await withProxy(kind, async (proxy, instances) => {
        await instances[0]?.end();
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => fetch(`${proxy.url}/api/v2/authenticate`)),
        );
        assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
        await instances[1]?.end();
        const refusal = await refusalOf(proxy);
        assert.deepEqual(
          ['content-type', 'x-error-code', 'retry-after'].map((name) => refusal.headers.get(name)),
          ['application/json; charset=utf-8', 'unavailable', '5'],
        );
        assert.deepEqual([refusal.status, await refusal.json()], [503, { error: 'Service Unavailable' }]);
        assert.ok((refusal.headers.get('x-request-id') ?? '').length > 15);
      });
    });

    test(`its ${kind} configuration repeats no POST that an instance accepted, and forwards the client’s address`, async (t) => {
      if (!isInstalled(kind)) return t.diagnostic(`${kind} is not installed here`);
      await withProxy(kind, async (proxy, instances) => {
        const acceptedRequests = async (method: string) => {
          for (const instance of instances) Object.assign(instance, { isBroken: true, taken: [] });
          // The proxy may answer or close the connection.
          await fetch(`${proxy.url}/api/v2/authenticate`, { method }).catch(() => null);
          return instances.flatMap((instance) => instance.taken);
        };
        const posts = await acceptedRequests('POST');
        assert.equal(posts.length, 1);
        assert.equal(posts[0]?.headers['x-forwarded-for'], '127.0.0.1');
        if (kind === 'nginx') assert.match(String(posts[0]?.headers['x-request-id']), /^[0-9a-f]{32}$/);
        const gets = await acceptedRequests('GET');
        assert.ok(gets.length > 1, `${gets.length} tries`);
      });
    });
  }

  test('its haproxy configuration passes on the answers of instances if none of them is ready', async (t) => {
    const text = guideBlock('haproxy');
    const servers = (backend: string): readonly string[] =>
      [
        ...((text.split(`\nbackend ${backend}\n`)[1] ?? '').split('\n\n')[0]?.matchAll(/^ {2}server .*$/gm) ??
          []),
      ].map(([line]) => line);
    assert.equal(servers('unready').length, 2);
    assert.deepEqual(servers('unready'), servers('ready'));
    if (!isInstalled('haproxy'))
      return t.diagnostic('haproxy is not installed here: only its text was checked');
    await withProxy('haproxy', async (proxy, instances) => {
      for (const instance of instances) instance.isReady = false;
      await pause(7_000);
      const answer = await fetch(`${proxy.url}/api/v2/authenticate`);
      assert.deepEqual([answer.status, answer.headers.get('x-instance')], [503, 'yes']);
    });
  });
});

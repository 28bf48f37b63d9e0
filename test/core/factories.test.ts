import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import {
  type CorePorts,
  createAccess,
  createCore,
  createMeetings,
  createUsers,
  createWebhooks,
  type MeetingsPorts,
} from '@rollcall/core';
import { aMeeting, anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';

const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
const chapters = {
  access: { needs: needsOf('access'), create: createAccess },
  users: { needs: needsOf('users'), create: createUsers },
  meetings: { needs: needsOf('meetings'), create: createMeetings },
  webhooks: { needs: needsOf('webhooks'), create: createWebhooks },
} as const;
type Chapter = keyof typeof chapters;
const names = Object.keys(chapters) as Chapter[];

/** The needs that the factory's file lists. */
function needsOf(chapter: string): readonly string[] {
  const file = new URL(`../../../core/${chapter}/create-${chapter}.ts`, import.meta.url);
  const [, list = ''] = /Needs = \[([^\]]*)\]/.exec(readFileSync(file, 'utf8')) ?? [];
  return [...list.matchAll(/'([\w.]+)'/g)].map(([, need = '']) => need);
}

/** Ports that have only these members. */
function portsOf(needs: readonly string[]): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const all = memoryPorts().ports as unknown as Record<string, Record<string, unknown>>;
  const ports: Record<string, Record<string, unknown>> = {};
  for (const need of needs) {
    const [port = '', member = ''] = need.split('.');
    const value = all[port]?.[member];
    if (value === undefined) continue;
    ports[port] ??= {};
    ports[port][member] = typeof value === 'function' ? value.bind(all[port]) : value;
  }
  return ports;
}

function create(name: Chapter, ports: unknown, options: unknown = { links }): object {
  const factory = chapters[name].create as (ports: unknown, options: unknown) => object;
  return factory(ports, options);
}

describe('The factories of the chapters', () => {
  test('together they return what createCore returns, each use-case once', () => {
    const { ports } = memoryPorts();
    const given = names.flatMap((name) => Object.keys(create(name, ports)));
    assert.deepEqual(given, [...new Set(given)]);
    assert.deepEqual(given, Object.keys(createCore(ports, { links })));
  });

  for (const name of names) {
    const { needs } = chapters[name];

    test(`${name}: starts with its own ports and nothing else`, () => {
      assert.ok(Object.keys(create(name, portsOf(needs))).length > 5);
    });

    test(`${name}: names each missing member of a port`, () => {
      for (const need of needs) {
        if (/^(settings|links|securityLog|observer|mailer)\./.test(need)) continue;
        const ports = portsOf(needs.filter((other) => other !== need));
        assert.throws(() => create(name, ports), {
          name: 'TypeError',
          message: new RegExp(
            `^create\\w+ cannot start\\. The port ${need.replace('.', '\\.')} is missing\\.$`,
          ),
        });
      }
    });

    test(`${name}: names each of its settings that is wrong`, () => {
      for (const need of needs) {
        const [kind = '', setting = ''] = need.split('.');
        if (kind !== 'settings' && kind !== 'links') continue;
        const options = kind === 'links' ? { links: { ...links, [setting]: {} } } : { links, [setting]: {} };
        const message = new RegExp(`^create\\w+ cannot start\\. ${need.replace('settings.', '')} must be `);
        assert.throws(() => create(name, portsOf(needs), options), { name: 'TypeError', message });
      }
    });

    test(`${name}: names each missing member of an optional port that is given`, () => {
      const optional = needs.filter((need) => /^(securityLog|observer|mailer)\./.test(need));
      for (const need of optional) {
        const [port = ''] = need.split('.');
        const ports = { ...portsOf(needs), [port]: {} };
        assert.throws(
          () => create(name, ports),
          new RegExp(`The port ${need.replace('.', '\\.')} is missing`),
        );
      }
    });

    test(`${name}: names each of its settings that is wrong`, () => {
      for (const need of needs) {
        const [kind, member = ''] = need.split('.');
        if (kind !== 'settings' && kind !== 'links') continue;
        const options = kind === 'links' ? { links: { ...links, [member]: 5 } } : { links, [member]: {} };
        const named = new RegExp(` ${need.replace('settings.', '').replace('.', '\\.')} must be `);
        assert.throws(() => create(name, portsOf(needs), options), named);
      }
    });

    test(`${name}: needs exactly what its use-cases need`, () => {
      const folder = new URL(`../../../core/${name}/`, import.meta.url);
      const ofUseCases = Object.keys(create(name, portsOf(needs))).flatMap((useCase) => {
        const file = `${useCase.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
        return usesOf(readFileSync(new URL(file, folder), 'utf8'), useCase);
      });
      assert.deepEqual([...needs].sort(), [...new Set(ofUseCases)].sort());
    });
  }

  test('every need that a use-case names is used in its file or in one that it imports', () => {
    const core = new URL('../../../core/', import.meta.url);
    for (const name of names) {
      for (const file of readdirSync(new URL(`${name}/`, core))) {
        if (!file.endsWith('.ts') || basename(file).startsWith(`create-${name}`)) continue;
        const url = new URL(`${name}/${file}`, core);
        const reachable = textOfAll(url, new Set());
        for (const need of usesOf(readFileSync(url, 'utf8')))
          assert.match(reachable, usePattern(need), `${name}/${file} names ${need}`);
      }
    }
  });

  test('one error names every port that is missing and every setting that is wrong', () => {
    const { clock: _, ...ports } = memoryPorts().ports;
    const wrong = { serviceName: 'a\nb', reportingTimeZone: 'nowhere', links: {} };
    assert.throws(
      () => createMeetings(ports as unknown as MeetingsPorts, wrong as never),
      (error) => {
        assert.ok(error instanceof TypeError);
        for (const named of [
          /clock\.now is missing/,
          /serviceName must/,
          /reportingTimeZone must/,
          /links\.defaultAvatar must/,
        ])
          assert.match(error.message, named);
        return true;
      },
    );
  });

  test('the types report what is missing as well', () => {
    const { clock: _, ...ports } = memoryPorts().ports;
    // @ts-expect-error: there is no clock
    assert.throws(() => createMeetings(ports, { links }), TypeError);
    // @ts-expect-error: a clock without now
    assert.throws(() => createMeetings({ ...ports, clock: {} }, { links }), TypeError);
    // @ts-expect-error: there is no clock
    const incomplete: CorePorts = ports;
    assert.throws(() => createCore(incomplete, { links }), TypeError);
  });

  test('null or undefined instead of ports and settings causes a clear error', () => {
    for (const nothing of [null, undefined]) {
      for (const name of names)
        assert.throws(() => create(name, nothing, null), /^TypeError: create\w+ cannot start\. .*The port /);
    }
  });

  test('a chapter works with its own ports alone', async () => {
    const { ports, load, clock } = memoryPorts();
    const now = clock.now();
    await load({
      organizations: [anOrganization(1)],
      users: [aUser(1), aUser(2)],
      memberships: [{ organizationId: 1, userId: 2, role: 'member', idpId: 'dana' }],
      meetings: [
        aMeeting(5, {
          organizationId: 1,
          startTime: new Date(now.getTime() + 3_600_000),
          endTime: new Date(now.getTime() + 7_200_000),
        }),
      ],
      registrations: [{ meetingId: 5, userId: 2, registeredAt: now }],
    });
    const { meetings, members, invitations, organizations, calendarFeeds, secrets } = ports;
    const chapter = createMeetings(
      { meetings, members, invitations, organizations, calendarFeeds, secrets, clock },
      { links: { defaultAvatar: 'https://example.test/avatar.png' } },
    );
    const { meetings: listed } = await chapter.listUpcomingMeetings({
      organization: { id: 1 },
      idpId: 'dana',
    });
    assert.deepEqual(
      listed.map(({ id }) => id),
      [5],
    );
  });
});

/** The needs of all functions in a file, or of the named one only. */
function usesOf(text: string, name?: string): readonly string[] {
  const pattern =
    name === undefined ? /Uses<([^>]*)>/g : new RegExp(`function ${name}\\b[^]*?Uses<([^>]*)>`, 'g');
  return [...text.matchAll(pattern)].flatMap(([, needs = '']) =>
    [...needs.matchAll(/'([\w.]+)'/g)].map(([, need = '']) => need),
  );
}

/** The file and every file of the core that it imports. */
function textOfAll(url: URL, seen: Set<string>): string {
  if (seen.has(url.href)) return '';
  seen.add(url.href);
  const text = readFileSync(url, 'utf8');
  const imported = [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(([, path]) => new URL(`${path}.ts`, url));
  return text + imported.map((next) => textOfAll(next, seen)).join('\n');
}

/** Matches `clock.now`, `clock?.now`, or a destructured `now`. */
function usePattern(need: string): RegExp {
  const [port, member] = need.split('.');
  return new RegExp(`\\b${port}\\??\\.${member}\\b|\\{[^}]*\\b${member}\\b[^}]*\\} = (?:deps\\.)?${port}\\b`);
}

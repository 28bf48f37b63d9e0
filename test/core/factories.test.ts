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
const factories = {
  access: createAccess,
  users: createUsers,
  meetings: createMeetings,
  webhooks: createWebhooks,
} as const;
const names = Object.keys(factories) as (keyof typeof factories)[];

function create(name: keyof typeof factories, ports: unknown, options: unknown = { links }): object {
  return (factories[name] as (ports: unknown, options: unknown) => object)(ports, options);
}

/** The ports without which the chapter does not start, as it names them itself. */
function neededPorts(name: keyof typeof factories): readonly string[] {
  try {
    create(name, {});
  } catch (error) {
    assert.ok(error instanceof TypeError);
    return [...error.message.matchAll(/The port (\w+) is missing/g)].map(([, port = '']) => port);
  }
  return assert.fail(`${name} starts without ports`);
}

describe('The factories of the chapters', () => {
  test('together they return what createCore returns, each use-case once', () => {
    const { ports } = memoryPorts();
    const given = names.flatMap((name) => Object.keys(create(name, ports)));
    assert.deepEqual(given, [...new Set(given)]);
    assert.deepEqual(given, Object.keys(createCore(ports, { links })));
  });

  for (const name of names) {
    test(`${name}: starts with its own ports, and asks for each of them`, () => {
      const all: Readonly<Record<string, unknown>> = { ...memoryPorts().ports };
      const needed = neededPorts(name);
      const ports = Object.fromEntries(needed.map((port) => [port, all[port]]));
      assert.ok(Object.keys(create(name, ports)).length > 5);
      for (const port of needed)
        assert.throws(() => create(name, { ...ports, [port]: undefined }), {
          name: 'TypeError',
          message: new RegExp(`^create\\w+ cannot start\\. The port ${port} is missing\\.$`),
        });
    });
  }

  test('each use-case is listed, and its file exports nothing else that runs', () => {
    const core = new URL('../../../core/', import.meta.url);
    for (const name of names) {
      const bound = new Set(Object.keys(create(name, memoryPorts().ports)));
      for (const file of listed(new URL(`${name}/use-cases.ts`, core))) {
        const text = readFileSync(new URL(`${name}/${file}.ts`, core), 'utf8');
        const exported = [...text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)];
        const useCase = basename(file).replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
        assert.deepEqual(
          exported.map(([, found]) => found),
          [useCase],
        );
        assert.ok(bound.delete(useCase));
      }
      assert.deepEqual([...bound], []);
    }
  });

  test('every need that a use-case names is used in its file or in one that it imports', () => {
    const core = new URL('../../../core/', import.meta.url);
    for (const name of names) {
      for (const file of readdirSync(new URL(`${name}/`, core), { recursive: true, encoding: 'utf8' })) {
        if (!file.endsWith('.ts')) continue;
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
          /The port clock is missing/,
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
    createMeetings({ ...ports, clock: {} }, { links });
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

/** The names of the files that a list of use-cases exports. */
function listed(file: URL): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(/'\.\/([\w/-]+)\.js'/g)].map(([, name = '']) => name);
}

/** The needs that functions in the text name. */
function usesOf(text: string): readonly string[] {
  return [...text.matchAll(/Uses<([^>]*)>/g)].flatMap(([, needs = '']) =>
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

import { deepEqual, rejects } from 'node:assert/strict';
import { describe } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Actor } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { password, peopleTest } from '../../support/core/people-service.js';
import { refused, tokenOf } from '../../support/core/refused.js';
import type { TestService } from '../../support/test-service.js';

const commandLine: Actor = { who: { kind: 'command-line' }, from: null };
const MINUTE = 60_000;

// The suite of `Sessions` checks the same over every database.
/** Two sessions of user 1, one of them by a login link of organization 1, and one of another user. */
async function startSessions({ core }: TestService): Promise<readonly string[]> {
  const person = { email: 'other@example.test', firstName: 'Oda', lastName: 'Other' };
  await core.addUser({ ...person, password });
  const attempt = { password, address: '192.0.2.1' };
  const own = await core.signIn({ ...attempt, email: aUser(1).email });
  const { url } = await core.issueLoginLink({ organization: { id: 1 }, uuid: aUser(1).uuid });
  const bound = await core.redeemLoginLink({ token: tokenOf(url) });
  const other = await core.signIn({ ...attempt, email: person.email });
  return [own, bound, other].map(({ session }) => session.reveal());
}

async function working({ core }: TestService, sessions: readonly string[]): Promise<readonly boolean[]> {
  const resumed = sessions.map((session) => core.resumeSession({ session }));
  return (await Promise.all(resumed)).map((session) => session !== null);
}

async function recorded({ core }: TestService): Promise<readonly unknown[]> {
  const { items } = await core.listActivity({ organization: { id: 1 } });
  return items
    .filter(({ action }) => action === 'session-ended')
    .map(({ subject, actor }) => [subject, actor]);
}

describe('All sessions', () => {
  peopleTest(
    'of a user end, and the organization of a login link finds it in its audit trail',
    async (service) => {
      const sessions = await startSessions(service);
      deepEqual(await working(service, sessions), [true, true, true]);
      const email = ` ${aUser(1).email.toUpperCase()} `;
      deepEqual(await service.core.endSessions({ email, by: commandLine }), { user: aUser(1), ended: 2 });
      deepEqual(await working(service, sessions), [false, false, true]);
      deepEqual(await recorded(service), [[aUser(1).email, commandLine]]);
      deepEqual(await service.core.endSessions({ email, by: commandLine }), { user: aUser(1), ended: 0 });
      deepEqual(await recorded(service), [[aUser(1).email, commandLine]]);
    },
  );

  peopleTest('of all users end', async (service) => {
    const sessions = await startSessions(service);
    deepEqual(await service.core.endSessions({ email: null, by: commandLine }), { user: null, ended: 3 });
    deepEqual(await working(service, sessions), [false, false, false]);
    deepEqual(await recorded(service), [[aUser(1).email, commandLine]]);
  });

  peopleTest(
    'that belong to no organization are not recorded, and a slow storage is waited for',
    async (service) => {
      await startSessions(service);
      const { sessions } = service.ports;
      const { endAll } = sessions;
      const entries: unknown[] = [];
      Object.assign(sessions, {
        async endAll(...[whose, journal]: Parameters<typeof endAll>) {
          await setImmediate();
          await endAll(whose, (ended) => {
            const built = journal?.(ended) ?? [];
            entries.push(...built);
            return built;
          });
        },
      });
      deepEqual((await service.core.endSessions({ email: null, by: commandLine })).ended, 3);
      const subject = aUser(1).email;
      const at = service.clock.now();
      const ended = { action: 'session-ended', subject, aboutUserId: 1 };
      deepEqual(entries, [{ organizationId: 1, at, actor: commandLine, ...ended }]);
    },
  );

  peopleTest('count until they expire', async (service) => {
    await startSessions(service);
    service.clock.advance(30 * MINUTE - 1);
    deepEqual(await service.core.endSessions({ email: null }), { user: null, ended: 3 });
  });

  peopleTest('that had expired are neither counted nor recorded', async (service) => {
    await startSessions(service);
    service.clock.advance(30 * MINUTE);
    deepEqual(await service.core.endSessions({ email: null }), { user: null, ended: 0 });
    deepEqual(await recorded(service), []);
  });

  peopleTest('of an address that no user has are refused, and nothing ends', async (service) => {
    const sessions = await startSessions(service);
    await rejects(
      service.core.endSessions({ email: 'nobody@example.test' }),
      refused('user-not-found', 'email: there is no user nobody@example.test'),
    );
    deepEqual(await working(service, sessions), [true, true, true]);
  });
});

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { password, peopleTest } from '../../support/core/people-service.js';
import { refused, tokenOf } from '../../support/core/refused.js';
import type { TestService } from '../../support/test-service.js';

const MINUTE = 60_000;
const other = { email: 'other@example.test', firstName: 'Oda', lastName: 'Other' };

async function signIn(service: TestService, device?: string): Promise<string> {
  const attempt = { email: aUser(1).email, password, address: '192.0.2.1', device };
  return (await service.core.signIn(attempt)).session.reveal();
}

/** A session of user 1 that a login link of organization 1 started. */
async function redeem(service: TestService, device?: string): Promise<string> {
  const { url } = await service.core.issueLoginLink({ organization: { id: 1 }, uuid: aUser(1).uuid });
  return (await service.core.redeemLoginLink({ token: tokenOf(url), device })).session.reveal();
}

async function works(service: TestService, session: string): Promise<boolean> {
  return (await service.core.resumeSession({ session })) !== null;
}

async function ended(service: TestService): Promise<readonly unknown[]> {
  const { items } = await service.core.listActivity({ organization: { id: 1 } });
  return items
    .filter(({ action }) => action === 'session-ended')
    .map(({ subject, actor }) => [subject, actor.who, actor.from]);
}

const entry = [aUser(1).email, { kind: 'user', userId: 1 }, '192.0.2.9'];

// The suite of `Sessions` checks the same over every database.
describe('The sessions of a user', () => {
  peopleTest('are listed with how, when and on which device they began', async (service) => {
    const began = service.clock.now();
    await redeem(service, 'Safari on iPhone');
    service.clock.advance(MINUTE);
    await signIn(service, 'Edge on Windows');
    service.clock.advance(MINUTE);
    const mine = await signIn(service, ' Firefox on Android ');
    service.clock.advance(10 * MINUTE);
    const { own, others, hasMore } = await service.core.listSessions({ session: mine });
    const after = (minutes: number) => new Date(began.getTime() + minutes * MINUTE);
    assert.deepEqual(
      [own, ...others].map(({ id: _id, ...session }) => session),
      [
        {
          ...{ device: 'Firefox on Android', startedBy: 'password', organization: null },
          ...{ createdAt: after(2), seenAt: after(12) },
        },
        {
          ...{ device: 'Edge on Windows', startedBy: 'password', organization: null },
          ...{ createdAt: after(1), seenAt: after(1) },
        },
        {
          ...{ device: 'Safari on iPhone', startedBy: 'login-link' },
          ...{ createdAt: after(0), seenAt: after(0) },
          organization: { id: 1, name: 'Organization 1' },
        },
      ],
    );
    assert.equal(hasMore, false);
    const ids = [own, ...others].map(({ id }) => id);
    assert.equal(new Set(ids).size, 3);
    for (const id of ids) assert.ok(/^[\w-]+$/.test(id) && !mine.includes(id), id);
  });

  peopleTest('begin with the device on which an invitation is accepted', async (service) => {
    const { invitationUrl } = await service.core.inviteUser({ organization: { id: 1 }, ...other });
    const person = { is: 'new', firstName: 'Oda', lastName: 'Other', password } as const;
    const request = { token: tokenOf(invitationUrl), person, address: '', device: 'Opera on Linux' };
    const session = (await service.core.acceptInvitation(request)).session.reveal();
    assert.equal((await service.core.listSessions({ session })).own.device, 'Opera on Linux');
  });

  peopleTest('end at once, and the organization of a login link can see it', async (service) => {
    const [mine, other, linked] = [await signIn(service), await signIn(service), await redeem(service)];
    const { own, others } = await service.core.listSessions({ session: mine });
    assert.equal(others.length, 2);
    for (const { id } of others) await service.core.endSession({ session: mine, id, address: '192.0.2.9' });
    assert.deepEqual(
      [await works(service, mine), await works(service, other), await works(service, linked)],
      [true, false, false],
    );
    assert.deepEqual(await ended(service), [entry]);
    assert.deepEqual((await service.core.listSessions({ session: mine })).others, []);
    const again = service.core.endSession({ session: mine, id: others[0]?.id ?? '' });
    await assert.rejects(again, refused('session-not-found'));
    await service.core.endSession({ session: mine, id: own.id });
    await assert.rejects(service.core.listSessions({ session: mine }), refused('sign-in-required'));
  });

  peopleTest('all end but the one that asks', async (service) => {
    const stranger = await service.core.addUser({ ...other, password });
    const attempt = { email: stranger.email, password, address: '192.0.2.1' };
    const foreign = (await service.core.signIn(attempt)).session.reveal();
    const expired = await redeem(service);
    service.clock.advance(30 * MINUTE);
    const [mine, second] = [await signIn(service), await signIn(service)];
    const linked = [await redeem(service), await redeem(service)];
    await service.core.endOtherSessions({ session: mine, address: '192.0.2.9' });
    const all = [mine, second, expired, ...linked];
    assert.deepEqual(await Promise.all(all.map((session) => works(service, session))), [
      true,
      ...[false, false, false, false],
    ]);
    assert.deepEqual(await ended(service), [entry, entry]);
    service.clock.advance(-30 * MINUTE);
    assert.equal(await works(service, foreign), true);
  });

  peopleTest('end the others at once: one is left, and the other is told to sign in', async (service) => {
    const both = [await signIn(service), await signIn(service)];
    const outcomes = await Promise.allSettled(
      both.map((session) => service.core.endOtherSessions({ session })),
    );
    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    assert.deepEqual([lost.length, lost.every(refused('sign-in-required'))], [1, true]);
    const left = await Promise.all(both.map((session) => works(service, session)));
    assert.deepEqual(
      left,
      outcomes.map(({ status }) => status === 'fulfilled'),
    );
  });

  peopleTest('are recorded until their last moment, and only for organizations', async (service) => {
    await redeem(service);
    service.clock.advance(30 * MINUTE - 1);
    const mine = await signIn(service);
    await signIn(service);
    await service.core.endOtherSessions({ session: mine });
    const { auditEntries } = await service.core.readUserData({ email: aUser(1).email });
    assert.deepEqual(
      auditEntries
        .filter(({ action }) => action === 'session-ended')
        .map(({ organizationId, from }) => [organizationId, from]),
      [[1, null]],
    );
  });

  peopleTest('are not listed if the user leaves the organization meanwhile', async (service) => {
    const mine = await signIn(service);
    await redeem(service);
    Object.assign(service.ports.members, { ofUser: async () => [] });
    assert.deepEqual((await service.core.listSessions({ session: mine })).others, []);
  });

  peopleTest('are hidden from a session that a login link started, which ends none', async (service) => {
    const [mine, linked] = [await signIn(service), await redeem(service)];
    const { others } = await service.core.listSessions({ session: mine });
    const { listSessions, endSession, endOtherSessions } = service.core;
    for (const session of [linked, null, '', 'x', `${mine}x`]) {
      const expected = refused(session === linked ? 'session-bound' : 'sign-in-required');
      await assert.rejects(listSessions({ session }), expected);
      await assert.rejects(endSession({ session, id: others[0]?.id ?? '' }), expected);
      await assert.rejects(endOtherSessions({ session }), expected);
    }
    assert.deepEqual([await works(service, mine), await works(service, linked)], [true, true]);
  });

  peopleTest('cannot be ended by another user, by their hash or by their secret', async (service) => {
    await service.core.addUser({ ...other, password });
    const foreign = (await service.core.signIn({ email: other.email, password, address: 'a' })).session;
    const [mine, second] = [await signIn(service), await signIn(service)];
    const { own } = await service.core.listSessions({ session: foreign.reveal() });
    const hash = service.ports.secrets.tokenHash('session', second) ?? '';
    for (const id of [own.id, hash, second, '', 'x', `${own.id}x`])
      await assert.rejects(service.core.endSession({ session: mine, id }), refused('session-not-found'));
    assert.deepEqual([await works(service, foreign.reveal()), await works(service, second)], [true, true]);
  });

  peopleTest('are at most 100 besides the one that asks', async (service) => {
    const { ofUser } = service.ports.sessions;
    const limits = new Set<number>();
    Object.assign(service.ports.sessions, {
      ofUser(query: Parameters<typeof ofUser>[0]) {
        limits.add(query.limit);
        return ofUser(query);
      },
    });
    const sessions = [];
    for (let count = 0; count <= 100; count += 1) sessions.push(await signIn(service));
    const [mine = ''] = sessions;
    const all = await service.core.listSessions({ session: mine });
    assert.deepEqual([all.others.length, all.hasMore], [100, false]);
    service.clock.advance(2 * MINUTE);
    for (const session of sessions.slice(1)) await works(service, session);
    sessions.push(await signIn(service));
    const most = await service.core.listSessions({ session: mine });
    assert.deepEqual([most.others.length, most.hasMore], [100, true]);
    assert.equal(most.own.id, all.own.id);
    assert.deepEqual([...limits], [102]);
    await service.core.endOtherSessions({ session: mine });
    assert.deepEqual((await service.core.listSessions({ session: mine })).others, []);
  });
});

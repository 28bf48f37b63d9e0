import assert from 'node:assert/strict';
import { membershipEvents } from '@rollcall/core/adapters';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { eventName, subscribe } from '#core/testing/subscribe.js';
import { eachEngine } from '../../support/each-engine.js';
import { importInto, membership, user } from '../../support/import-records.js';
import { startTestService } from '../../support/test-service.js';

const at = new Date('2026-11-20T12:00:00.000Z');
/** More than are read at once. */
const PEOPLE = 1_200;

type TellOf = (typeof membershipEvents.ended)[number];

/** Tells of the end of a membership as no event does so far. */
const planted: TellOf = ({ organization, member }, { id }) => ({
  ...{ id, name: eventName, organizationId: organization.id, createdAt: at },
  body: `${organization.name}: ${member.user.email}, ${member.role}`,
});

const ended = membershipEvents.ended as TellOf[];
const users = Array.from({ length: PEOPLE }, (_, index) => aUser(index + 1));
const memberOf = (organizationId: number) => (userId: number) =>
  ({ organizationId, userId, role: 'member', idpId: null }) as const;
const organizations = [anOrganization(1), anOrganization(2)];
const memberships = [...users.map(({ id }) => memberOf(1)(id)), ...[1, 2, 3].map(memberOf(2))];

eachEngine(
  'An import tells of the memberships that it ends: of removed members and of removed users, each once',
  { organizations, users, memberships },
  async ({ database, storage }) => {
    await subscribe(storage, [1]);
    const deleted = [
      ...users.slice(3).map(({ id }) => ({
        ...({ kind: 'membership', organization_id: 1, user_id: id, deleted: true } as const),
      })),
      { kind: 'user', id: 1, deleted: true },
      { kind: 'membership', organization_id: 2, user_id: 1, deleted: true },
    ];
    ended.push(planted);
    const applied = await importInto(database, deleted).finally(() => ended.pop());
    assert.equal(applied.counts.membership.removed, PEOPLE - 2);
    const bodies = async (organizationId: number) => {
      const query = { organizationId, after: null, order: 'asc', limit: 2 * PEOPLE } as const;
      const page = await storage.eventFeed.read(query);
      return 'events' in page ? page.events.map(({ body }) => body) : [];
    };
    const removed = users.filter(({ id }) => id === 1 || id > 3).map(({ email }) => email);
    assert.deepEqual(
      await bodies(1),
      removed.map((email) => `${anOrganization(1).name}: ${email}, member`),
    );
    assert.deepEqual(await bodies(2), [`${anOrganization(2).name}: ${aUser(1).email}, member`]);
    const first = applied.registrations.firstDeliveries;
    assert.deepEqual([...first.keys()], [1]);
    const deliveries = await storage.deliveries.count({ organizationId: 1, states: ['failed'] });
    assert.equal(deliveries, 0);
  },
);

eachEngine(
  'The newest event about an imported member is found by the moment of joining',
  { organizations: [anOrganization(1)] },
  async ({ database, storage }) => {
    await subscribe(storage, [1]);
    const others = [101, 102].map((id) => ({
      ...{ ...user, id, uuid: aUser(id).uuid, email: aUser(id).email },
    }));
    const joined = [100, 101].map((user_id) => ({
      ...{ ...membership, user_id, idp_id: null, registered: true },
    }));
    const known = { ...membership, user_id: 102, idp_id: null };
    await importInto(database, [user, ...others, ...joined, known]);
    const { core } = await startTestService({ database });
    const tellsOf = async (userId: number) => {
      const found = await core.readLastDelivery({ organization: { id: 1 }, userId });
      return found && JSON.parse(found.body).user.id;
    };
    assert.deepEqual([await tellsOf(100), await tellsOf(101), await tellsOf(102)], [100, 101, null]);
  },
);

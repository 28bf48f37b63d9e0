import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aMeeting } from '@rollcall/core/testing';
import { startPartnerSite } from '../support/partner/partner-site.js';
import { usePartner } from '../support/partner/use-partner.js';
import type { Notes } from './program/people.js';

const partner = usePartner();
const DAY_MS = 24 * 60 * 60 * 1000;

test('invites with an idp_id, the person accepts, and 4.4 answers their meetings; without an idp_id by UUID; sets one afterwards', async (t) => {
  const { connection, people, events } = partner().program;
  const site = await startPartnerSite(t, 'sqlite');
  const mine = connection.connect(await site.addOrganization(1));
  const dana = { email: 'dana@partner.test', firstName: 'Dana', lastName: 'Kim', idpId: 'nw/4711 ü' };
  const lee = { email: 'lee@partner.test', firstName: 'Lee', lastName: 'Park' };

  const invited = await people.invite(mine, dana);
  await assert.rejects(people.meetingsByIdpId(mine, dana.idpId), { status: 404, code: 'member-not-found' });
  await site.accept(invited.url ?? assert.fail('no invitation'));
  const other = await people.invite(mine, lee);
  await site.accept(other.url ?? assert.fail('no invitation'));

  const [first, second] = (await events.readOn(mine)).events.map(({ user }) => user);
  assert.deepEqual([first?.uuid, second?.uuid], [invited.id, other.id]);
  const soon = {
    startTime: new Date(Date.now() + DAY_MS),
    endTime: new Date(Date.now() + DAY_MS + 60_000),
  };
  const seat = { meetingId: 5, registeredAt: new Date() };
  const registrations = [first, second].map((user) => ({ ...seat, userId: user?.id ?? 0 }));
  await site.load({ meetings: [aMeeting(5, { name: 'Grief circle', ...soon })], registrations });

  const byIdpId = await people.meetingsByIdpId(mine, dana.idpId);
  const [meeting] = byIdpId.meetings;
  assert.deepEqual([meeting?.name, meeting?.registered, byIdpId.total_items], ['Grief circle', true, 1]);
  assert.deepEqual(await people.meetingsByUuid(mine, invited.id), byIdpId);

  const byUuid = await people.meetingsByUuid(mine, other.id);
  assert.deepEqual([byUuid.meetings[0]?.id, byUuid.total_items], [5, 1]);
  assert.equal((await people.readUser(mine, other.id)).idp_id, null);
  await assert.rejects(people.setIdpId(mine, other.id, dana.idpId), {
    status: 400,
    body: { error: 'idp_id belongs to another member' },
  });
  assert.equal((await people.setIdpId(mine, other.id, 'nw/4712')).idp_id, 'nw/4712');
  assert.deepEqual(await people.meetingsByIdpId(mine, 'nw/4712'), byUuid);
});

test('loses all its notes and finds every UUID, invitation and state again', async (t) => {
  const { connection, people } = partner().program;
  const site = await startPartnerSite(t, 'sqlite');
  const settings = await site.addOrganization(1);
  const mine = connection.connect(settings);
  const notes: Notes = new Map();
  const employee = (index: number) => ({
    email: `employee-${index}@partner.test`,
    firstName: 'Ana',
    lastName: `Nr. ${index}`,
    ...(index % 3 === 0 && { idpId: `nw-${index}` }),
  });
  const noteOf = (index: number) => notes.get(employee(index).email) ?? assert.fail('no note');
  const accept = async (index: number): Promise<void> => {
    const { url, ...note } = noteOf(index);
    await site.accept(url ?? assert.fail('no invitation'));
    notes.set(employee(index).email, { ...note, state: 'member', url: null });
  };

  // More than fit on a page, and every state.
  const all = Array.from({ length: 230 }, (_, index) => employee(index));
  for (const { index, user } of await people.inviteAll(mine, all, 'the first day')) {
    const { id, invitation_url: url } = user ?? assert.fail(`employee ${index} was refused`);
    const { email, idpId = null } = { idpId: undefined, ...employee(index) };
    notes.set(email, { id, idpId, state: 'invited', url });
  }
  for (let index = 0; index < 110; index += 1) await accept(index);
  for (const index of [3, 4]) {
    const note = noteOf(index);
    await people.remove(mine, note.id);
    notes.set(employee(index).email, { ...note, state: 'left' });
  }
  for (const index of [120, 121]) {
    const note = noteOf(index);
    await people.revoke(mine, note.id);
    notes.set(employee(index).email, { ...note, state: 'revoked', url: null });
  }
  // Renewed, while pending and after it was revoked. One of them accepts.
  for (const index of [121, 122, 123]) {
    const { invitation_url: url } = await people.correct(mine, noteOf(index).id, { first_name: 'Anna' });
    notes.set(employee(index).email, { ...noteOf(index), state: 'invited', url });
  }
  await accept(123);
  // Someone who left comes back.
  const returning = await people.invite(mine, employee(4));
  notes.set(employee(4).email, returning);
  // Someone whom the service adds by another way keeps the UUID of the invitation.
  const { email, firstName, lastName } = employee(150);
  await site.core.registerUser({ organizationId: 1, email, firstName, lastName });
  notes.set(email, { ...noteOf(150), state: 'member', url: null });

  assert.deepEqual(sorted(await people.recoverNotes(connection.connect(settings))), sorted(notes));
});

const sorted = (notes: Notes) => [...notes].sort(([a], [b]) => (a < b ? -1 : 1));

import { aUser, type DatasetMembership } from '@rollcall/core/testing';
import type { HttpService } from '../../support/http/service.js';
import { testNow } from '../../support/test-service.js';
import { replaceKey } from './access.js';
import { Cell, forms } from './cell.js';
import { addressOf, idpIdOf } from './choices.js';
import { markerOf, type Real } from './command.js';
import { logChanges, plannedMeetings, type Seated } from './meeting-data.js';
import { type Account, bind, type Member, type Model, type OrganizationModel, timeCell } from './model.js';
import { senderTo } from './receiver.js';
import { Run } from './run-of-calls.js';

let lastRun = 0;

/** Two new organizations in a running service, which no earlier sequence has touched, and their model. */
export async function newModel(
  service: HttpService,
  counts: Map<string, number>,
): Promise<{ readonly model: Model; readonly real: Real }> {
  lastRun += 1;
  const run = lastRun;
  service.clock.set(testNow);
  const startedAt = testNow.getTime();
  const organizations = [organizationModel(0, run), organizationModel(1, run)] as const;
  const model: Model = {
    ...{ run, organizations, startedAt, now: startedAt, accounts: [], meetings: new Map() },
    ...{ registrations: [], waitingPlaces: [], meetingLog: [], known: new Map(), links: [], received: [] },
  };
  service.replace('webhookSender', senderTo(model));
  await load(model, service);
  const real: Real = { service, run: new Run(counts) };
  for (const organization of organizations) await replaceKey(model, real, { organization, keepHours: 0 });
  return { model, real };
}

function organizationModel(index: 0 | 1, run: number): OrganizationModel {
  return {
    index,
    id: run * 10 + index,
    name: `Northwind ${markerOf({ index }, { run })}`,
    eap: index === 0,
    ...{
      keys: [],
      tokens: [],
      invitations: [],
      members: [],
      events: [],
      deliveries: [],
      tests: [],
      cursors: [],
    },
    ...{ webhook: null, answers: new Map(), keyRound: 0, receiver: 200 },
  };
}

/** Owners, and the members who have seats. */
async function load(model: Model, service: HttpService): Promise<void> {
  const { run, organizations } = model;
  const [a, b] = organizations;
  const users = [
    aUser(run * 10 + 1, { email: addressOf(model, 'olga'), firstName: 'Olga', lastName: 'Adams' }),
    aUser(run * 10 + 2, { email: addressOf(model, 'bert'), firstName: 'Bert', lastName: 'Brown' }),
    aUser(run * 10 + 3, { email: addressOf(model, 'sam'), firstName: 'Sam', lastName: 'Lee' }),
    aUser(run * 10 + 4, { email: addressOf(model, 'mia'), firstName: 'Mia', lastName: 'Meyer' }),
  ];
  const [olga, bert, sam, mia] = users.map((user): Account => {
    const { id, email, firstName, lastName, createdAt } = user;
    const number = new Cell(forms.userNumber, null);
    bind(model, number, id);
    const uuid = new Cell(forms.member, null);
    bind(model, uuid, user.uuid);
    const known = { number, uuid, email, firstName, lastName, password: null };
    return { ...known, createdAt: timeCell(createdAt.getTime()) };
  }) as [Account, Account, Account, Account];
  model.accounts.push(olga, bert, sam, mia);
  const memberships: DatasetMembership[] = [];
  const join = (
    organization: OrganizationModel,
    account: Account,
    given: Pick<Member, 'role' | 'idpId'>,
  ): void => {
    const userId = Number(account.number.value);
    organization.members.push({ account, uuid: account.uuid, joinedAt: timeCell(), ...given });
    memberships.push({ organizationId: organization.id, userId, ...given });
  };
  join(a, olga, { role: 'owner', idpId: null });
  join(b, bert, { role: 'owner', idpId: idpIdOf(model, b, 0) });
  join(a, sam, { role: 'admin', idpId: idpIdOf(model, a, 0) });
  join(b, sam, { role: 'member', idpId: null });
  join(a, mia, { role: 'member', idpId: idpIdOf(model, a, 1) });

  const leader = Number(olga.number.value);
  const planned = plannedMeetings({ run, organizations, startedAt: model.startedAt, leader });
  const seated: Readonly<Record<Seated, Account>> = { mia, sam, owner: olga };
  const place = ({ meetingId, who }: { readonly meetingId: number; readonly who: Seated }) => ({
    ...{ meetingId, userId: Number(seated[who].number.value) },
  });
  const registeredAt = new Date('2026-11-01T10:00:00.000Z');
  model.registrations = planned.seats.map((seat) => ({ ...place(seat), registeredAt }));
  model.waitingPlaces = planned.waiting.map((seat) => ({
    ...place(seat),
    ...{ status: 'offered' as const, createdAt: registeredAt },
  }));
  for (const meeting of planned.meetings) model.meetings.set(meeting.id, meeting);
  await service.load({
    organizations: organizations.map(({ id, name, eap }) => ({ id, name, eap })),
    users,
    memberships,
    changedMeetings: planned.meetings.map((meeting) => ({ ...meeting, updatedAt: registeredAt })),
    registrations: model.registrations,
    waitingPlaces: model.waitingPlaces,
  });
  logChanges(model, planned.meetings, planned.updatedAt);
}

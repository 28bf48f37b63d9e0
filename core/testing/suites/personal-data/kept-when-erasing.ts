import { exportColumns } from '../../../meetings/export-columns.js';
import type { ChangeCursor } from '../../../meetings/ports/meetings.js';
import { aMeeting } from '../../dataset.js';
import { atOnce, type ContractTest, each, expectEqual } from '../../expect.js';
import { noon } from '../../noon.js';
import type { MakeTest, TestStorage } from '../../start-storage.js';
import { exported, exportRequest } from '../meetings/export-request.js';
import { erase, erased, invite, person, recordOf, register } from './person.js';

export function keptWhenErasingTests(test: MakeTest): readonly ContractTest[] {
  const onlyOf1 = { person: { email: person.email }, ...erased, onlyOf: 1 };
  const elsewhere: Readonly<Record<string, (storage: TestStorage) => Promise<unknown>>> = {
    'is a member': (storage) => register(storage, { userId: 7, number: 60, organizationId: 2 }),
    'has a pending invitation': (storage) =>
      invite(storage, { number: 61, email: person.email, organizationId: 2 }),
    'leads a meeting': ({ load }) =>
      load({ meetings: [aMeeting(5, { organizationId: 2, groupLeaderId: 7 })] }),
    'leads a meeting of the service': ({ load }) =>
      load({ meetings: [aMeeting(5, { organizationId: null, groupLeaderId: 7 })] }),
    'has a seat': ({ load }) =>
      load({
        meetings: [aMeeting(5, { organizationId: 2 })],
        registrations: [{ meetingId: 5, userId: 7, registeredAt: noon }],
      }),
    'waits for a seat': ({ load }) =>
      load({
        meetings: [aMeeting(5, { organizationId: 2 })],
        waitingPlaces: [{ meetingId: 5, userId: 7, status: 'waiting', createdAt: noon }],
      }),
  };
  return [
    ...Object.entries(elsewhere).map(([what, prepare]) =>
      test(`one organization cannot erase a person who ${what} elsewhere`, async (storage) => {
        await prepare(storage);
        const before = await recordOf(storage);
        expectEqual(await storage.personalData.erase(onlyOf1), 'in-other-organization');
        expectEqual(await recordOf(storage), before);
      }),
    ),

    test('one organization can erase its own member, but no owner and no one else', async (storage) => {
      const { personalData, members } = storage;
      expectEqual(await personalData.erase({ ...onlyOf1, onlyOf: 2 }), 'unknown');
      await invite(storage, { number: 62, email: 'invited@example.test' });
      const invited = { person: { email: 'invited@example.test' } };
      expectEqual(await personalData.erase({ ...onlyOf1, ...invited }), 'unknown');
      await members.changeRole({ organizationId: 1, userId: 7, role: 'owner' });
      expectEqual(await personalData.erase(onlyOf1), 'is-owner');
      await members.changeRole({ organizationId: 1, userId: 7, role: 'admin' });
      expectEqual(await personalData.erase(onlyOf1), { organizationIds: [1], withoutOwner: [] });
    }),

    test('a last owner is erased only if the organization may be left without an owner', async (storage) => {
      const { personalData, members } = storage;
      await register(storage, { userId: 7, number: 63, organizationId: 2, role: 'owner' });
      await members.remove({ organizationId: 2, userId: 1, at: noon });
      expectEqual(each((await recordOf(storage)).memberships, 'isOnlyOwner'), [false, true]);
      const request = { person: { email: person.email }, ...erased };
      expectEqual(await personalData.erase(request), { lastOwnerOf: [2] });
      expectEqual((await recordOf(storage)).memberships.length, 2);
      expectEqual(await personalData.erase({ ...request, mayLeaveNoOwner: true }), {
        ...{ organizationIds: [1, 2], withoutOwner: [2] },
      });
    }),

    test('of two owners who are erased at once, one is kept', async (storage) => {
      await register(storage, { userId: 7, number: 64, organizationId: 3, role: 'owner' });
      const emails = [person.email, 'user-1@example.test'];
      await storage.members.remove({ organizationId: 3, userId: 1, at: noon });
      await register(storage, { userId: 1, number: 65, organizationId: 3, role: 'owner' });
      for (const organizationId of [1, 2])
        await register(storage, { userId: 2, number: 65 + organizationId, organizationId, role: 'owner' });
      const results = await atOnce(2, (index) =>
        storage.personalData.erase({ person: { email: emails[index] ?? '' }, ...erased }),
      );
      expectEqual(
        results.filter((result) => typeof result === 'object' && 'lastOwnerOf' in result),
        [{ lastOwnerOf: [3] }],
      );
      const { members } = await storage.members.list({ organizationId: 3, offset: 0, limit: 9 });
      expectEqual(each(members, 'role'), ['owner']);
    }),

    test('meetings stay, without the leader', async (storage) => {
      const { meetings } = storage;
      const details = async () => {
        const found = await meetings.details({ organizationId: 1, ids: [1, 2, 3] });
        return [...found].sort((one, other) => one.id - other.id);
      };
      const columns = exportColumns.filter(({ key }) => ['id', 'host', 'group_leader_id'].includes(key));
      const changes = (after: ChangeCursor | null) =>
        meetings.changes({ organizationId: 1, after, limit: 9, columns });
      const before = await details();
      const known = await changes(null);
      await erase(storage);
      const after = await details();
      const leaders = [before, after].map((all) => all.map(({ groupLeader }) => groupLeader?.id ?? null));
      expectEqual(leaders, [
        [7, 8, null],
        [null, 8, null],
      ]);
      const [was, is] = [before, after].map((all) =>
        all.map(({ groupLeader, registeredAttendees, ...rest }) => rest),
      );
      expectEqual(is, was);
      const updatedSince = new Date(aMeeting(1).updatedAt.getTime() + 1);
      const { selection } = exportRequest({ withServiceMeetings: false, updatedSince, now: erased.at });
      expectEqual(await exported(storage, { selection, columns }), [{ host: '', group_leader: null, id: 1 }]);
      const changed = await changes(known?.next ?? null);
      expectEqual(each(changed?.changes, 'row'), ['{"host":"","group_leader":null,"id":1}']);
    }),

    test('seats in meetings that have ended still count, and no others', async (storage) => {
      const day = (text: string) => ({
        from: new Date(`${text}T00:00:00.000Z`),
        before: new Date(`${text}T23:00:00.000Z`),
      });
      const ranges = [day('2026-11-20'), day('2026-11-21')];
      const taken = async () => {
        const summaries = await storage.meetings.summarize({
          ...{ organizationId: 1, withServiceMeetings: false, ranges },
        });
        return summaries.map(({ seatsTaken }) => seatsTaken);
      };
      // The leader of meeting 1 does not count.
      expectEqual(await taken(), [3, 2]);
      await erase(storage);
      expectEqual(await taken(), [3, 1]);
      await erase(storage, { person: { email: 'user-2@example.test' } });
      expectEqual(await taken(), [3, 0]);
    }),
  ];
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { anOrganization } from '@rollcall/core/testing';
import { lockMeetings } from '#adapters/sql/stores/meeting-clock.js';
import { startTestService } from '#test/support/test-service.js';

test('An invitation that is made while the person is erased is erased, too', async (t) => {
  const { core, ports, clock, database, load, stop } = await startTestService({ database: 'postgres' });
  t.after(stop);
  await load({ organizations: [anOrganization(1), anOrganization(2)] });
  const email = 'canary@example.test';
  const invite = (id: number) =>
    core.inviteUser({ organization: { id }, email, firstName: 'Canary', lastName: 'Bird' });
  await invite(1);
  let erasing: Promise<unknown> = Promise.resolve();
  await database.write(async (sql) => {
    // The erasure waits here, after its search.
    await lockMeetings({ engine: 'postgres', ...sql });
    erasing = ports.personalData.erase({ person: { email }, at: clock.now(), mayLeaveNoOwner: false });
    const waiting = () =>
      database.read.all(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
    while ((await waiting()).length === 0) await pause(5);
    await invite(2);
  });
  assert.deepEqual(await erasing, { organizationIds: [1, 2], withoutOwner: [] });
  assert.deepEqual(await database.read.all('SELECT email FROM invitations'), []);
});

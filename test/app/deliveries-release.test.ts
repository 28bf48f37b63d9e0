import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { randomIds } from '#adapters/node/system/ids.js';
import { openDatabase, sqlPorts } from '#adapters/sql/index.js';
import { eventName } from '#core/testing/subscribe.js';
import { run, temporaryDirectory } from '../support/app-cli.js';

const env = { DATABASE_URL: 'sqlite:rollcall.db', SECRET_KEY: 'a secret key of more than 32 characters' };
const firstCreatedAt = new Date('2026-11-20T12:00:00.000Z');

describe('rollcall deliveries release', () => {
  test('affects only the given organization and time, changes nothing with --dry-run, and is in the audit trail', async () => {
    const directory = temporaryDirectory();
    const database = await openDatabase(`sqlite:${join(directory.path, 'rollcall.db')}`);
    try {
      await database.migrate();
      await database.write(async (sql) => {
        for (const id of [1, 2])
          await sql.run(`INSERT INTO organizations (id, name, eap) VALUES (?, 'N', false)`, [id]);
        for (const id of [1, 2, 3, 4, 5, 6])
          await sql.run(
            `INSERT INTO deliveries (id, organization_id, event_id, event_name, body, created_at)
            VALUES (?, ?, ?, '${eventName}', '{}', ?)`,
            [
              id,
              id <= 3 ? 1 : 2,
              randomIds.uuid(),
              new Date(firstCreatedAt.getTime() + ((id - 1) % 3) * 3_600_000),
            ],
          );
      });
      const json = async (...args: readonly string[]) => {
        const { code, stdout, stderr } = await run([...args, '--json'], {
          cwd: directory.path,
          env,
        });
        assert.equal(code, 0, stderr);
        return JSON.parse(stdout);
      };
      const release = (...args: readonly string[]) => json('deliveries', 'release', ...args);
      const states = async () => {
        const listed = await sqlPorts(database).deliveries.list({ organizationId: null, limit: 9 });
        return [...listed].sort((one, other) => one.id - other.id).map(({ state }) => state);
      };
      assert.deepEqual(await json('deliveries', 'hold'), { held: 6 });
      const second = ['--since', '2026-11-20T13:00:00Z', '--until', '2026-11-20T14:00:00Z'];
      const first = ['--until', '2026-11-20T13:00:00Z'];
      for (const how of ['--send', '--drop'])
        assert.deepEqual(await release(how, '--organization', '1', ...second, '--dry-run'), { matching: 1 });
      assert.deepEqual(await states(), Array(6).fill('held'));

      assert.deepEqual(await release('--send', '--organization', '1', ...second), { redelivered: 1 });
      assert.deepEqual(await release('--drop', '--organization', '2', ...first), { dropped: 1 });
      assert.deepEqual(await states(), ['held', 'pending', 'held', 'skipped', 'held', 'held']);
      assert.deepEqual(await release('--send', ...first), { redelivered: 1 });
      assert.deepEqual(await release('--drop'), { dropped: 3 });
      assert.deepEqual(await states(), ['pending', 'pending', 'skipped', 'skipped', 'skipped', 'skipped']);
      const { activity } = await json('organization', 'activity', '--organization', '2');
      assert.deepEqual(
        activity.map(({ who, action, subject }: Readonly<Record<string, unknown>>) => [who, action, subject]),
        [
          ['command-line', 'deliveries-dropped', '2'],
          ['command-line', 'deliveries-dropped', '1'],
        ],
      );
    } finally {
      await database.close();
      directory.remove();
    }
  });
});

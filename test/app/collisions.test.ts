import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openDatabase } from '#adapters/sql/index.js';
import { linesOf, run, temporaryDirectory } from '../support/app-cli.js';

const user = (id: number, email: string, lastDigit = id) => ({
  kind: 'user',
  id,
  uuid: `8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f000${lastDigit}`,
  email,
  first_name: 'Dana',
  last_name: 'Kim',
});

describe('Commands that resolve account collisions', () => {
  test('a refused import names the command to run and then succeeds, and invisible characters are shown', async () => {
    const directory = temporaryDirectory();
    try {
      const cwd = directory.path;
      const load = (...records: readonly object[]) =>
        run(['import', '-'], { cwd, input: records.map((record) => `${JSON.stringify(record)}\n`).join('') });
      const succeed = async (...args: readonly string[]) => {
        const finished = await run(args, { cwd });
        assert.equal(finished.code, 0, finished.stderr);
        return finished;
      };
      const organization = { kind: 'organization', id: 1, name: 'Northwind' };
      const membership = { kind: 'membership', organization_id: 1, user_id: 1, role: 'member' };
      await load(organization, user(1, 'dana@example.test'), membership);
      await run(['user', 'set-password', '--email', 'dana@example.test'], { cwd, input: 'correct horse' });

      // The same person has a new address.
      const moved = await load(user(1, 'dana.kim@example.test'));
      assert.equal(moved.code, 1);
      const [command = ''] = /rollcall user set-email .*$/m.exec(moved.stderr) ?? [];
      await succeed(...command.split(' ').slice(1));
      assert.equal((await load(user(1, 'dana.kim@example.test'))).code, 0);
      const activity = await succeed('organization', 'activity', '--organization', '1', '--json');
      const [entry] = JSON.parse(activity.stdout).activity;
      assert.equal(entry.subject, 'dana@example.test → dana.kim@example.test');

      // Another person has the number of an account that was created here.
      const taken = await load(user(1, 'boss@platform.test', 2));
      assert.equal(taken.code, 1);
      const [detach = ''] = /rollcall user detach .*$/m.exec(taken.stderr) ?? [];
      const json = await succeed(...detach.split(' ').slice(1), '--json');
      assert.deepEqual(JSON.parse(json.stdout), { id: 1, email: 'dana.kim@example.test' });
      assert.equal((await load(user(1, 'boss@platform.test', 2))).code, 0);

      const database = await openDatabase(`sqlite:${join(cwd, 'data', 'rollcall.db')}`);
      await database.write((sql) =>
        sql.run(`INSERT INTO users (uuid, email, first_name, last_name, created_at)
          VALUES ('8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0009', 'da' || char(847) || 'na@example.test', 'D', 'K',
            '2026-11-20T12:00:00.000Z')`),
      );
      await database.close();
      const found = JSON.parse((await succeed('user', 'collisions', '--json')).stdout);
      assert.deepEqual(found, {
        accounts: [],
        addresses: [
          {
            look: 'dana@example.test',
            users: [{ user_id: 1_000_000_000_002, email: 'da\u034fna@example.test' }],
          },
        ],
        numbers: [{ number: 1, email: 'dana.kim@example.test', platform_user_id: 1_000_000_000_001 }],
      });
      const { stdout, stderr } = await succeed('user', 'collisions');
      assert.deepEqual(
        linesOf(stdout).map((line) => line.replace(/ +/g, ' ')),
        [
          'User Looks like Stored as',
          '1000000000002 dana@example.test da\\u{034f}na@example.test',
          'Number Account created here Platform user with this number',
          '1 dana.kim@example.test user 1000000000001 here',
        ],
      );
      assert.equal(linesOf(stderr).length, 2);
      await succeed('user', 'set-email', '--user', '1000000000002', '--to', 'dana@example.test');
      assert.deepEqual(JSON.parse((await succeed('user', 'collisions', '--json')).stdout).addresses, []);
    } finally {
      directory.remove();
    }
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Limit, type Limits, Refusal, Secret, Unavailable } from '@rollcall/core';
import { aUser, fixedClock, plainPasswords } from '@rollcall/core/testing';
import { type Database, type Sql, sqlLimits } from '#adapters/sql/index.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import { startTestService, type TestService, testNow } from '../../support/test-service.js';

const limit: Limit = { name: 'trial', points: 3, seconds: 60 };

describe('Limits on PostgreSQL', () => {
  let database: Database;
  let stop: () => Promise<void>;
  before(async () => {
    ({ database, stop } = await startPostgresDatabase());
  });
  after(() => stop());

  interface Counted {
    readonly limits: Limits;
    readonly calls: { reads: number; writes: number };
  }

  /** Creates the limits of another instance, and counts its reads and writes. */
  function instance(clock: { now(): Date } = { now: () => new Date() }): Counted {
    const calls = { reads: 0, writes: 0 };
    const read: Sql = {
      ...database.read,
      get: (text, values) => {
        calls.reads += 1;
        return database.read.get(text, values);
      },
    };
    const write: Database['write'] = (work) => {
      calls.writes += 1;
      return database.write(work);
    };
    return { limits: sqlLimits({ ...database, read, write }, clock), calls };
  }

  /** The version of each counter's row. Every update creates a new one. */
  const versions = () =>
    database.read.all('SELECT counter, xmin::text, failures FROM failure_counts ORDER BY 1');

  test('a refused flood writes nothing and reads at most once a second', async () => {
    const { limits, calls } = instance();
    for (let count = 0; count < 3; count += 1) await limits.consume(limit, 'flood');
    assert.ok((await limits.waitFor(limit, 'flood')) > 0);
    const before = await versions();
    const start = performance.now();
    calls.reads = 0;
    calls.writes = 0;
    for (let count = 0; count < 2000; count += 1) {
      const wait = count % 2 === 0 ? limits.waitFor(limit, 'flood') : limits.consume(limit, 'flood');
      assert.ok((await wait) > 0);
    }
    const seconds = Math.ceil((performance.now() - start) / 1000);
    assert.equal(calls.writes, 0);
    assert.ok(calls.reads <= seconds, `${calls.reads} reads in ${seconds} seconds`);
    assert.deepEqual(await versions(), before);
  });

  test('an instance that has not counted the failures changes no row either', async () => {
    const { limits } = instance();
    for (let count = 0; count < 3; count += 1) await limits.consume(limit, 'elsewhere');
    const before = await versions();
    const other = instance();
    for (let count = 0; count < 50; count += 1)
      assert.ok((await other.limits.consume(limit, 'elsewhere')) > 0);
    assert.equal(other.calls.writes, 1);
    assert.deepEqual(await versions(), before);
  });

  test('three instances together stay within the limit', async () => {
    const all = [instance(), instance(), instance()].map(({ limits }) => limits);
    const attempts = Array.from({ length: 60 }, (_, index) => all[index % 3]?.consume(limit, 'together'));
    const answers = await Promise.all(attempts);
    assert.equal(answers.filter((wait) => wait === 0).length, 3);
  });

  test('a failure that another instance takes back is free again soon', async () => {
    const [one, other] = [instance().limits, instance().limits];
    for (let count = 0; count < 3; count += 1) await one.consume(limit, 'taken back');
    assert.ok((await other.waitFor(limit, 'taken back')) > 0);
    await one.forgive(limit, 'taken back');
    const deadline = performance.now() + 10_000;
    while ((await other.consume(limit, 'taken back')) > 0) {
      assert.ok(performance.now() < deadline, 'it is still refused');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.ok((await other.consume(limit, 'taken back')) > 0);
  });

  test('failures that another instance clears are forgotten a second later, and at once where it was done', async () => {
    const [one, other] = [instance().limits, instance().limits];
    for (let count = 0; count < 3; count += 1) await one.consume(limit, 'cleared');
    assert.ok((await one.waitFor(limit, 'cleared')) > 0 && (await other.waitFor(limit, 'cleared')) > 0);
    await one.clear(limit, 'cleared');
    assert.equal(await one.waitFor(limit, 'cleared'), 0);
    const deadline = performance.now() + 10_000;
    while ((await other.waitFor(limit, 'cleared')) > 0) {
      assert.ok(performance.now() < deadline, 'it is still refused');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const answers = await Promise.all(Array.from({ length: 20 }, () => other.consume(limit, 'cleared')));
    assert.equal(answers.filter((wait) => wait === 0).length, 3);
  });

  test('a window ends even for those who were refused in it', async () => {
    const clock = fixedClock(testNow);
    const { limits } = instance(clock);
    for (let count = 0; count < 5; count += 1) await limits.consume(limit, 'over');
    clock.advance(60_000);
    assert.deepEqual([await limits.waitFor(limit, 'over'), await limits.consume(limit, 'over')], [0, 0]);
  });

  describe('in use by the core', () => {
    const password = new Secret('the right password');
    let service: TestService;
    let isBusy = false;
    let counting: Counted;
    before(async () => {
      const passwords = plainPasswords();
      counting = instance(fixedClock(testNow));
      service = await startTestService({
        database,
        ports: {
          limits: counting.limits,
          passwords: {
            hash: passwords.hash,
            async verify(attempt) {
              if (isBusy) throw new Unavailable('Too many passwords are being checked.');
              return passwords.verify(attempt);
            },
          },
        },
      });
      await service.load({ users: [aUser(1), aUser(2), aUser(3)] });
      for (const id of [1, 2, 3]) await service.core.setPassword({ email: aUser(id).email, password });
    });

    const signIn = (id: number, address: string, tried = new Secret('a wrong one')) =>
      service.core.signIn({ email: aUser(id).email, password: tried, address });
    const codeOf = (attempt: Promise<unknown>) =>
      attempt.then(
        () => 'signed-in',
        (error: unknown) => (error instanceof Refusal ? error.code : (error as Error).name),
      );

    test('a flood of sign-ins to a locked account changes no row, even from many addresses', async () => {
      while ((await codeOf(signIn(1, '192.0.2.1'))) !== 'too-many-requests');
      const before = await versions();
      counting.calls.writes = 0;
      for (let count = 0; count < 300; count += 1) {
        assert.equal(await codeOf(signIn(1, `198.51.100.${count % 250}`)), 'too-many-requests');
      }
      assert.equal(counting.calls.writes, 0);
      assert.deepEqual(await versions(), before);
    });

    test('a flood of sign-ins during too many password checks is not counted and writes nothing', async () => {
      await signIn(2, '203.0.113.1', password);
      isBusy = true;
      const before = await versions();
      counting.calls.writes = 0;
      for (let count = 0; count < 300; count += 1) {
        assert.equal(await codeOf(signIn(2, '203.0.113.1')), 'Unavailable');
      }
      isBusy = false;
      assert.equal(counting.calls.writes, 0);
      assert.deepEqual(await versions(), before);
      assert.equal(await codeOf(signIn(2, '203.0.113.1', password)), 'signed-in');
    });
  });
});

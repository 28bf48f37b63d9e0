import type { IdempotencyKeys, NewIdempotentCall } from '../../access/ports/idempotency-keys.js';
import { anOrganization, testUuid } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual } from '../expect.js';
import { aCall, answered } from '../kept-answers.js';
import { noon } from '../noon.js';
import { type StartStorage, storageTests } from '../start-storage.js';

/** The time, this many seconds after noon. */
function after(seconds: number): Date {
  return new Date(noon.getTime() + seconds * 1000);
}

/** A call at this many seconds after noon. It is cut off after 60 s and forgotten after 600 s. */
function call(seconds: number, change: Partial<NewIdempotentCall> = {}): NewIdempotentCall {
  return aCall({
    run: testUuid(seconds),
    at: after(seconds),
    cutOffBefore: after(seconds - 60),
    forgottenBefore: after(seconds - 600),
    ...change,
  });
}

/** The promises of `IdempotencyKeys`. */
export function idempotencyKeysSuite(start: StartStorage): readonly ContractTest[] {
  const withOrganizations = storageTests(start, 'IdempotencyKeys', ({ load }) =>
    load({ organizations: [anOrganization(1), anOrganization(2)] }),
  );
  const test = (name: string, work: (keys: IdempotencyKeys) => Promise<void>) =>
    withOrganizations(name, ({ idempotencyKeys }) => work(idempotencyKeys));
  return [
    test('the first caller gets the call, and then everyone gets its answer', async (keys) => {
      expectEqual(await keys.begin(call(0)), 'fresh');
      expectEqual(await keys.begin(call(1)), 'running');
      expectEqual(await keys.finish({ ...call(0), ...answered }), true);
      expectEqual(await keys.begin(call(2)), answered);
      expectEqual(await keys.begin(call(600)), answered);
    }),

    test('of 20 callers at once, one gets the call', async (keys) => {
      const begun = await atOnce(20, (index) => keys.begin(call(0, { run: testUuid(index) })));
      expectEqual([...begun].sort(), ['fresh', ...Array.from({ length: 19 }, () => 'running')]);
    }),

    test('another organization, operation or key is another call', async (keys) => {
      await keys.begin(call(0));
      await keys.finish({ ...call(0), ...answered });
      const others = [{ organizationId: 2 }, { operation: 'other' }, { key: 'Key' }, { key: 'key ' }];
      for (const [index, other] of others.entries())
        expectEqual([index, await keys.begin(call(index + 1, other))], [index, 'fresh']);
      expectEqual(await keys.begin(call(9)), answered);
    }),

    test('the key of another request is told, whether that has an answer or not', async (keys) => {
      const other = { fingerprint: 'two' };
      await keys.begin(call(0));
      expectEqual(await keys.begin(call(1, other)), 'other-request');
      expectEqual(await keys.begin(call(61, other)), 'other-request');
      await keys.finish({ ...call(0), ...answered });
      expectEqual(await keys.begin(call(62, other)), 'other-request');
    }),

    test('an unknown organization has no calls', async (keys) => {
      expectEqual(await keys.begin(call(0, { organizationId: 99 })), 'unknown-organization');
    }),

    test('a run that was cut off is taken over once, and cannot finish or abandon the call', async (keys) => {
      await keys.begin(call(0));
      expectEqual(await keys.begin(call(60)), 'running');
      const begun = await atOnce(20, (index) => keys.begin(call(61, { run: testUuid(61 + index) })));
      expectEqual(begun.filter((one) => one === 'fresh').length, 1);
      expectEqual(await keys.finish({ ...call(0), ...answered }), false);
      await keys.abandon(call(0));
      expectEqual(await keys.begin(call(62)), 'running');
      const owner = testUuid(61 + begun.indexOf('fresh'));
      expectEqual(await keys.finish({ ...call(61), run: owner, ...answered }), true);
      expectEqual(await keys.begin(call(63)), answered);
    }),

    test('a forgotten call begins again, also with another request', async (keys) => {
      for (const [key, fingerprint] of [
        ['same', 'one'],
        ['other', 'two'],
      ] as const) {
        await keys.begin(call(0, { key }));
        await keys.finish({ ...call(0, { key }), ...answered });
        expectEqual(await keys.begin(call(601, { key, fingerprint })), 'fresh');
        expectEqual(await keys.begin(call(602, { key, fingerprint })), 'running');
        await keys.finish({ ...call(601, { key }), encryptedAnswer: 'new' });
        expectEqual(await keys.begin(call(603, { key, fingerprint })), { encryptedAnswer: 'new' });
      }
    }),

    test('the key of an abandoned call can be used again, also for another request', async (keys) => {
      await keys.begin(call(0));
      await keys.begin(call(0, { key: 'kept' }));
      await keys.abandon(call(0));
      expectEqual(await keys.begin(call(1, { fingerprint: 'two' })), 'fresh');
      expectEqual(await keys.begin(call(1, { key: 'kept' })), 'running');
    }),

    test('an answer is kept once, and cannot be abandoned', async (keys) => {
      expectEqual(await keys.finish({ ...call(0), ...answered }), false);
      await keys.begin(call(0));
      await keys.finish({ ...call(0), ...answered });
      expectEqual(await keys.finish({ ...call(0), encryptedAnswer: 'other' }), false);
      await keys.abandon(call(0));
      expectEqual(await keys.begin(call(1)), answered);
    }),

    test('nothing new begins while as many calls are kept as may be, until the oldest is forgotten', async (keys) => {
      const limited = (seconds: number, key: string) => call(seconds, { key, maxCalls: 3 });
      for (const [seconds, key] of ['one', 'two', 'three'].entries())
        expectEqual(await keys.begin(limited(seconds, key)), 'fresh');
      await keys.finish({ ...limited(0, 'one'), ...answered });
      expectEqual(await keys.begin(limited(5, 'four')), { oldestAt: noon });
      expectEqual(await keys.begin(limited(5, 'one')), answered);
      expectEqual(await keys.begin(limited(5, 'two')), 'running');
      expectEqual(await keys.begin({ ...limited(5, 'two'), fingerprint: 'two' }), 'other-request');
      expectEqual(await keys.begin({ ...limited(5, 'four'), organizationId: 2 }), 'fresh');
      expectEqual(await keys.begin(limited(62, 'two')), 'fresh');
      expectEqual(await keys.begin(limited(601, 'four')), 'fresh');
      expectEqual(await keys.begin(limited(601, 'one')), { oldestAt: after(2) });
    }),

    test('nothing new begins while the answers are as long as they may be', async (keys) => {
      const limited = (seconds: number, key: string) => call(seconds, { key, maxAnswerLength: 10 });
      const finish = (seconds: number, key: string, encryptedAnswer: string) =>
        keys.finish({ ...limited(seconds, key), encryptedAnswer });
      await keys.begin(limited(0, 'one'));
      await finish(0, 'one', 'x'.repeat(9));
      expectEqual(await keys.begin(limited(1, 'two')), 'fresh');
      await finish(1, 'two', 'x');
      expectEqual(await keys.begin(limited(2, 'three')), { oldestAt: noon });
      expectEqual(await keys.begin(limited(601, 'three')), 'fresh');
    }),

    test('an abandoned call makes room', async (keys) => {
      const limited = (key: string) => call(0, { key, maxCalls: 1 });
      await keys.begin(limited('one'));
      expectEqual(await keys.begin(limited('two')), { oldestAt: noon });
      await keys.abandon(limited('one'));
      expectEqual(await keys.begin(limited('two')), 'fresh');
    }),

    test('long keys and answers are kept as they are', async (keys) => {
      const long = { key: '~'.repeat(255) };
      const encryptedAnswer = 'x'.repeat(300_000);
      await keys.begin(call(0, long));
      expectEqual(await keys.finish({ ...call(0, long), encryptedAnswer }), true);
      expectEqual(await keys.begin(call(1, long)), { encryptedAnswer });
    }),
  ];
}

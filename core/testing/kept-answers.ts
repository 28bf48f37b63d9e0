import type { KeptAnswer, NewIdempotentCall } from '../access/ports/idempotency-keys.js';
import { CallLost } from '../errors.js';
import { testUuid } from './dataset.js';
import { type ContractTest, expectEqual, expectThrow } from './expect.js';
import { noon } from './noon.js';
import type { MakeTest, TestStorage } from './start-storage.js';

/** An action in one transaction that can keep the answer of a call. It can be done once for each number from 0. */
interface KeepingAction {
  act(number: number, answer: KeptAnswer): Promise<unknown>;
  isDone(number: number): Promise<boolean>;
}

export const answered = { encryptedAnswer: 'answer' };

/** A call of organization 1. */
export function aCall(fields: Partial<NewIdempotentCall> = {}): NewIdempotentCall {
  return {
    organizationId: 1,
    operation: 'action',
    key: 'key',
    fingerprint: 'one',
    run: testUuid(1),
    at: noon,
    cutOffBefore: noon,
    forgottenBefore: noon,
    maxCalls: 100,
    maxAnswerLength: 1_000_000,
    ...fields,
  };
}

/** A call with its answer. */
export function call(key: string, run: number): NewIdempotentCall & KeptAnswer {
  return { ...aCall({ key, run: testUuid(run) }), ...answered };
}

/** The promise of `Journal` for answers. */
export function keptAnswerTests(
  test: MakeTest,
  method: string,
  start: (storage: TestStorage) => Promise<KeepingAction>,
): readonly ContractTest[] {
  return [
    test(`${method} keeps the answer of a call in its transaction`, async (storage) => {
      const { idempotencyKeys: keys } = storage;
      const action = await start(storage);
      await keys.begin(call('own', 1));
      await action.act(0, call('own', 1));
      expectEqual(await action.isDone(0), true);
      expectEqual(await keys.begin(call('own', 2)), answered);
      expectEqual(await keys.finish({ ...call('own', 1), encryptedAnswer: 'other' }), false);
      await keys.abandon(call('own', 1));
      expectEqual(await keys.begin(call('own', 3)), answered);
    }),

    test(`${method} does nothing if the call belongs to another run or has an answer`, async (storage) => {
      const { idempotencyKeys: keys, auditTrail } = storage;
      const action = await start(storage);
      const page = { organizationId: 1, offset: 0, limit: 1 };
      const before = await auditTrail.list(page);
      await keys.begin(call('answered', 1));
      await keys.finish(call('answered', 1));
      await keys.begin(call('running', 1));
      for (const lost of [call('answered', 1), call('running', 2), call('unknown', 1)])
        await expectThrow(CallLost, () => action.act(0, lost));
      expectEqual(await action.isDone(0), false);
      expectEqual(await auditTrail.list(page), before);
      expectEqual(await keys.begin(call('running', 3)), 'running');
    }),

    test(`when a call is abandoned during ${method}, either that is done or the key is free`, async (storage) => {
      const { idempotencyKeys: keys } = storage;
      const action = await start(storage);
      for (let round = 0; round < ROUNDS; round += 1) {
        const own = call(`round ${round}`, 1);
        await keys.begin(own);
        const [{ status }] = await Promise.allSettled([action.act(round, own), keys.abandon(own)]);
        const isDone = status === 'fulfilled';
        expectEqual([round, await action.isDone(round)], [round, isDone]);
        expectEqual([round, await keys.begin(call(own.key, 2))], [round, isDone ? answered : 'fresh']);
      }
    }),
  ];
}

const ROUNDS = 10;

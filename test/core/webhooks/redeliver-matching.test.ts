import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AttemptPhase } from '@rollcall/core';
import { organization } from '../../support/core/organization.js';
import { restingStates, startWithRestingDeliveries } from '../../support/core/resting-deliveries.js';

const by = { who: { kind: 'command-line' }, from: '192.0.2.7' } as const;

describe('redeliverMatching', () => {
  test('sends the events in the given states again, and wakes the dispatcher if there are any', async () => {
    for (const [index, state] of restingStates.entries()) {
      const { core, wakes, states } = await startWithRestingDeliveries();
      const matching = { organization, states: [state] };
      const others: string[] = await states();
      assert.equal(await core.countDeliveries(matching), 1);
      const woken = wakes();
      assert.equal(await core.redeliverMatching({ ...matching, by }), 1);
      assert.deepEqual(await states(), others.with(3 - index, 'pending'));
      assert.equal(wakes(), woken + 1);
      assert.equal(await core.redeliverMatching({ ...matching, by }), 0);
      assert.equal(wakes(), woken + 1);
    }
  });

  test('counts and sends what happened in the period, ended at the stage, and has the reason', async () => {
    const { core, second } = await startWithRestingDeliveries();
    const count = (selection: object) =>
      core.countDeliveries({ organization, states: restingStates, ...selection });
    assert.deepEqual(
      [await count({}), await count({ since: second(1) }), await count({ until: second(1) })],
      [4, 3, 1],
    );
    assert.equal(await count({ since: new Date(-8.64e15), until: new Date(8.64e15) }), 4);
    assert.deepEqual([await count({ reason: 'ANSWERED 5' }), await count({ status: 200 })], [1, 1]);
    const phases = ['address', 'lookup', 'connect', 'tls', 'request', 'answer'] as const;
    assert.deepEqual(await Promise.all(phases.map((phase) => count({ phase }))), [0, 0, 0, 0, 0, 2]);
  });

  test('tells each organization how many of its events are sent again, and who wanted that', async () => {
    const { core, clock, activity } = await startWithRestingDeliveries();
    const before = [await activity(1), await activity(2)];
    assert.equal(await core.redeliverMatching({ organization: null, states: restingStates, by }), 5);
    const entry = { action: 'deliveries-redelivered', actor: by, at: clock.now() };
    assert.deepEqual(
      [await activity(1), await activity(2)],
      [
        [{ ...entry, subject: '4' }, ...(before[0] ?? [])],
        [{ ...entry, subject: '1' }, ...(before[1] ?? [])],
      ],
    );
  });

  test('a wrong state, phase or organization is a mistake in the program, and is named', async () => {
    const { core } = await startWithRestingDeliveries();
    const count = (selection: object) =>
      core.countDeliveries({ organization, states: ['failed'], ...selection });
    await assert.rejects(
      count({ states: ['pending'] }),
      /^TypeError: states must be one of delivered, failed/,
    );
    await assert.rejects(
      count({ phase: 'later' as AttemptPhase }),
      /^TypeError: phase must be one of address/,
    );
    await assert.rejects(count({ organization: undefined }), /^TypeError: organization\.id /);
  });
});

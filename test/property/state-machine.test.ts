import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { databaseKinds } from '../support/storage.js';
import { readReplay, runSequences, startForSequences } from './state-machine/run-sequences.js';
import { operationsWithSteps } from './state-machine/steps.js';

/** How many sequences, which are fewer where a sequence takes longer. */
const sequences = { memory: 60, sqlite: 15, postgres: 15 };
const STEPS = 30;
const replay = readReplay(process.env.STATE_MACHINE_REPLAY);
const seed = Number(process.env.STATE_MACHINE_SEED ?? 20261123);

describe('The state machine', () => {
  test('has a step for every operation of openapi.yaml', () => {
    const operations = Object.values(openapi().paths)
      .flatMap((item) => Object.values(item as Readonly<Record<string, unknown>>))
      .map((operation) => (operation as { readonly operationId?: string }).operationId)
      .filter((id): id is string => id !== undefined);
    const steps = operationsWithSteps();
    assert.deepEqual(
      operations.filter((id) => !steps.has(id)),
      [],
    );
    assert.ok(operations.length >= 32, `${operations.length} operations`);
  });
});

for (const database of databaseKinds) {
  if (replay !== undefined && replay.database !== database) continue;
  describe(`Random calls of two organizations over ${database}`, () => {
    test('get the answers that the model of the specification expects', async (t) => {
      const service = await startForSequences(database);
      try {
        const given = { service, database, seed, replay, steps: STEPS, sequences: sequences[database] };
        const ran = await runSequences(given);
        if (ran.failure !== null) assert.fail(`${ran.failure.why}\n\n${ran.failure.script}`);
        const calls = [...ran.calls.values()].reduce((sum, count) => sum + count, 0);
        t.diagnostic(`${ran.sequences} sequences, ${calls} calls, ${ran.calls.size} kinds of answers`);
        assert.deepEqual(service.reports, []);
      } finally {
        await service.stop();
      }
    });
  });
}

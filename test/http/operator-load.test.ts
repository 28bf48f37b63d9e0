import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startOperatorService } from '../support/http/operator-service.js';
import { slowness } from '../support/slowness.js';
import { eventually } from '../support/wait.js';

/** Calls that are repeated, all at the same time, until they are ended. */
interface SteadyCalls {
  /** What the failed calls have thrown, with their names. A call that has failed is not repeated. */
  readonly problems: readonly string[];
  /** Resolves when each call was made and answered once from now on. Rejects when one has failed. */
  eachAnswered(): Promise<void>;
  end(): Promise<void>;
}

const PAUSE_MS = 50;

function startSteadyCalls(calls: Readonly<Record<string, () => Promise<unknown>>>): SteadyCalls {
  const problems: string[] = [];
  const answered = new Map(Object.keys(calls).map((name) => [name, 0]));
  let isEnded = false;
  const repeat = async (name: string, call: () => Promise<unknown>): Promise<void> => {
    while (!isEnded) {
      await call();
      answered.set(name, (answered.get(name) ?? 0) + 1);
      await pause(PAUSE_MS);
    }
  };
  const repeating = Promise.all(
    Object.entries(calls).map(([name, call]) =>
      repeat(name, call).catch((error: unknown) => {
        problems.push(`${name}: ${error}`);
      }),
    ),
  );
  return {
    problems,
    async eachAnswered() {
      const before = new Map(answered);
      // The next answer may be that of a call which has been under way since before.
      const isAnswered = (name: string) => (answered.get(name) ?? 0) >= (before.get(name) ?? 0) + 2;
      await eventually(async () => problems.length > 0 || [...answered.keys()].every(isAnswered));
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    async end() {
      isEnded = true;
      await repeating;
    },
  };
}

const MEETINGS = 15_000;
const CHANGES = 50;
/** Twice what is promised, because other tests run at the same time. */
const MAX_VISIBLE_MS = 2000;
/** Another program on this machine may disturb one of the rounds. */
const ROUNDS = 5;

const northwind = { kind: 'organization', id: 1, name: 'Northwind' };
const meeting = (id: number, name: string, start = '2026-11-20T18:00:00Z') => ({
  ...{ kind: 'meeting', id, organization_id: 1, name, meeting_type: 'Group' },
  ...{ start_time: start, duration: 60, status: 'scheduled', location: 'zoom' },
});

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`Imports over HTTP beside other requests, over ${database}`, () => {
    test('many records hold up no request, and a few changes can be read soon', async () => {
      const service = await startOperatorService({ database });
      try {
        await service.records([northwind]);
        const { json } = await service.post('/organizations/1/access_key');
        const url = `http://127.0.0.1:${service.publicPort}/api/v2`;
        const answer = await fetch(`${url}/authenticate`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ access_key: json.access_key }),
        });
        const { token } = (await answer.json()) as { readonly token: string };
        const headers = { Authorization: `Bearer ${token}` };
        const first = `${url}/organizations/1/export_meetings?column=name&reporting_days=all_upcoming&page=1&per_page=100`;
        const records = Array.from({ length: MEETINGS }, (_, index) => meeting(index + 1, 'Grief circle'));
        const body = records.map((record) => JSON.stringify(record)).join('\n');

        const delay = monitorEventLoopDelay({ resolution: 10 });
        const start = performance.now();
        delay.enable();
        const loading = service.records(body);
        const others = startSteadyCalls({
          'the first page': async () => {
            const page = await fetch(first, { headers });
            assert.equal(page.status, 200, await page.text());
          },
        });
        await loading;
        await others.end();
        delay.disable();
        const duration = performance.now() - start;
        assert.equal((await loading).json.counts.meeting.stored, MEETINGS);
        assert.deepEqual(others.problems, []);
        // In the thread of the requests, storing all meetings would be one statement, and checking them many pieces.
        const longest = delay.max / 1e6;
        assert.ok(longest < duration / 5, `${longest} ms without an answer, of ${duration} ms`);

        const visible: number[] = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          const name = `Changed ${round}`;
          const begin = performance.now();
          await service.records(
            Array.from({ length: CHANGES }, (_, index) => meeting(index + 1, name, '2126-11-20T18:00:00Z')),
          );
          const text = await fetch(first, { headers }).then((response) => response.text());
          visible.push(performance.now() - begin);
          assert.equal(text.split(name).length - 1, CHANGES);
        }
        assert.ok(Math.min(...visible) <= MAX_VISIBLE_MS * slowness(), visible.join(', '));
        assert.deepEqual(service.reports, []);
      } finally {
        await service.stop();
      }
    });
  });
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  afterStart,
  alternate,
  isClearOf,
  type Measured,
  median,
  medianRatio,
  quantile,
  type Round,
  rates,
} from './measure.js';
import { workIn } from './measurement.js';
import { linesIn, linesOf, mergeLines, tableOf } from './readme.js';
import type { Subject } from './servers.js';
import { isMet, summaryText } from './table.js';

const subject = {} as Subject;

/** Rounds of a second with these numbers of answers. */
function measured(...requests: readonly number[]): Measured {
  const rounds = requests.map(
    (count): Round => ({
      ...{ requests: count, bytes: 1e6 * count, elapsedMs: 1_000, latencies: [], firstBytes: [], cpu: 1 },
    }),
  );
  return { subject, rounds, peak: 0 };
}

describe('the figures of the bench', () => {
  test('a quantile is one of the numbers; there is none of nothing', () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(quantile([4, 1, 3, 2], 0.99), 4);
    assert.equal(quantile([4, 1, 3, 2], 0), 1);
    assert.ok(Number.isNaN(median([])));
  });

  test('rates are counted by the second, whatever the length of a round', () => {
    const [round] = measured(50).rounds;
    const longer = { ...round, elapsedMs: 4_000 } as Round;
    assert.deepEqual([rates.requests(longer), rates.megabytes(longer)], [12.5, 12.5]);
  });

  test('the ratio is the median of the ratios of each round, so one disturbed round does not count', () => {
    // The ratio of the medians would be 100 / 200.
    const ours = measured(100, 90, 400, 100);
    const theirs = measured(200, 100, 400, 2_000);
    assert.equal(medianRatio(ours, theirs, rates.requests), 0.9);
    assert.equal(medianRatio(measured(3, 5), measured(6), rates.requests), 0.5);
  });

  test('a verdict is clear when the interval of the median is on one side of the goal', () => {
    const around = (middle: number) => Array.from({ length: 17 }, (_, index) => middle + (index - 8) / 100);
    // Ranks 4 to 14 of 17.
    assert.equal(isClearOf(0.85, around(0.9)), true);
    assert.equal(isClearOf(0.85, around(0.89)), false);
    assert.equal(isClearOf(0.85, around(0.8)), false);
    assert.equal(isClearOf(0.85, around(0.79)), true);
    assert.equal(isClearOf(0.85, [...around(0.9)].reverse()), true);
    assert.equal(isClearOf(0.9, [0.95, 0.89, 0.99]), false);
    assert.equal(isClearOf(0.9, []), false);
  });

  test('while a verdict is not clear there are more rounds, but not more than three times as many', async () => {
    const rounds = measured(1).rounds[0] as Round;
    const still = { ...subject, resetPeak: () => undefined, peak: () => 0, cpu: () => 0 };
    const count = async (isClear?: (done: number) => boolean) => {
      const [one] = await alternate(
        [still],
        5,
        async () => rounds,
        isClear && (([{ rounds: done } = { rounds: [] }]) => isClear(done.length)),
      );
      return one?.rounds.length;
    };
    assert.deepEqual([await count(), await count(() => false), await count((done) => done > 8)], [5, 15, 9]);
  });

  test('the start of a program is the median of its starts', () => {
    assert.deepEqual(afterStart([1_500, 1_000], [500, 400, 9_000]), [1_000, 500]);
  });

  test('a run that is no longer than a start gives no figure, so that no goal is met by it', () => {
    assert.deepEqual(afterStart([1_500, 500, 400], [500]), [Number.NaN, Number.NaN, Number.NaN]);
  });

  test('a goal is met at its limit', () => {
    const verdict = { figure: 'of the floor', value: 0.85 };
    assert.equal(isMet({ ...verdict, goal: { atLeast: 0.85 } }), true);
    assert.equal(isMet({ ...verdict, goal: { atLeast: 0.86 } }), false);
    assert.equal(isMet({ ...verdict, goal: { atMost: 0.85 } }), true);
    assert.equal(isMet({ ...verdict, goal: { atMost: 0.84 } }), false);
  });

  test('a figure that could not be measured misses its goal', () => {
    const value = median([]);
    assert.equal(isMet({ figure: 'x', value, goal: { atLeast: 0 } }), false);
    assert.equal(isMet({ figure: 'x', value, goal: { atMost: 1 } }), false);
  });

  test('the summary counts the goals that are met, and names those that are missed', () => {
    const result = (work: string, value: number) => ({
      ...{ work, rate: 'requests' as const, measured: [] },
      verdicts: [{ figure: 'of the floor', value, goal: { atLeast: 0.85 } }],
    });
    const text = summaryText([result('Page 1', 0.9), result('Page 500', 0.33)]);
    assert.deepEqual(text.split('\n'), [
      'Page 1    0.900 of the floor  goal ≥ 0.85  met',
      'Page 500  0.330 of the floor  goal ≥ 0.85  MISSED',
      '1 of 2 goals met',
      '',
    ]);
  });

  test('the table has one line for a figure, with the goals and values of both engines', () => {
    const result = (work: string, atMost: number, value: number) => ({
      ...{ work, rate: 'requests' as const, measured: [] },
      verdicts: [{ figure: 'for one', value, goal: { atMost }, unit: ' ms' }],
    });
    const results = [result('SQLite: Page 5', 20, 11), result('PostgreSQL: Page 5', 40, 57)];
    assert.deepEqual(tableOf(linesOf(results)).split('\n').slice(2), [
      '| Page 5 | for one | ≤ 20 ms, ≤ 40 ms | 11.0 ms | 57.0 ms **missed** |',
    ]);
  });

  test('the table has one line for all pages and for both states of the database, with the worst figure', () => {
    const result = (work: string, value: number) => ({
      ...{ work, rate: 'requests' as const, measured: [] },
      verdicts: [{ figure: 'for one', value, goal: { atMost: 300 }, unit: ' ms' }],
    });
    const results = [
      ...[result('SQLite: Page, owner: people', 9), result('SQLite: Page, owner: export', 26)],
      ...[result('PostgreSQL: Page, owner: people', 40), result('SQLite: Page 5, right after the load', 11)],
      ...[result('SQLite: Page 5', 10), result('PostgreSQL: Page 5, right after the load', 7)],
      ...[result('PostgreSQL: Page 5', Number.NaN)],
    ];
    assert.deepEqual(tableOf(linesOf(results)).split('\n').slice(2), [
      '| Pages and downloads, the slowest | for one | ≤ 300 ms | 26.0 ms | 40.0 ms |',
      '| Page 5 | for one | ≤ 300 ms | 11.0 ms | – ms **missed** |',
    ]);
  });

  test('a run of single measurements replaces their figures, and keeps the others', () => {
    const result = (work: string, atLeast: number, value: number) => ({
      ...{ work, rate: 'requests' as const, measured: [] },
      verdicts: [{ figure: 'of the floor', value, goal: { atLeast } }],
    });
    const earlier = [
      ...[result('SQLite: Page 1', 0.7, 0.6), result('PostgreSQL: Page 1', 0.8, 0.9)],
      ...[result('SQLite: Import', 0.5, 0.7), result('PostgreSQL: Import', 0.5, 0.4)],
    ];
    const document = `before\n<!-- what npm run bench -- --readme wrote -->\nOn a machine:\n\n${tableOf(linesOf(earlier))}\n<!-- until here -->\nafter\n`;
    assert.equal(tableOf(linesIn(document)), tableOf(linesOf(earlier)));
    const measured = linesOf([result('SQLite: Page 1', 0.85, 0.95), result('SQLite: Page 5', 0.85, 0.5)]);
    assert.deepEqual(tableOf(mergeLines(linesIn(document), measured)).split('\n'), [
      '| Work | Figure | Goal | SQLite | PostgreSQL |',
      '| --- | --- | --- | --- | --- |',
      '| Page 1 | of the floor | ≥ 0.85, ≥ 0.8 | 0.950 | 0.900 |',
      '| Import | of the floor | ≥ 0.5 | 0.700 | 0.400 **missed** |',
      '| Page 5 | of the floor | ≥ 0.85 | 0.500 **missed** |  |',
    ]);
  });

  test('work right after the load has a name of its own', () => {
    assert.equal(workIn('vacuumed', 'Page 1'), 'Page 1');
    assert.equal(workIn('loaded', 'Page 1'), 'Page 1, right after the load');
  });
});

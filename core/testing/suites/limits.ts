import type { Limit, Limits } from '../../access/ports/limits.js';
import { atOnce, type ContractTest, expectEqual, expectTrue, promise } from '../expect.js';

const limit: Limit = { name: 'trial', points: 3, seconds: 60 };

/** An adapter that has counted nothing yet, and a way to let time pass for it. */
export interface StartedLimits {
  /** The adapter under test, new for each test. */
  readonly limits: Limits;
  /** Lets this much time pass: moves the adapter's clock, or waits. */
  pass(milliseconds: number): Promise<void>;
}

/** The promises of `Limits`. */
export function limitsSuite(start: () => Promise<StartedLimits>): readonly ContractTest[] {
  type Pass = StartedLimits['pass'];
  const test = (name: string, work: (limits: Limits, pass: Pass) => Promise<void>): ContractTest =>
    promise(`Limits: ${name}`, async () => {
      const { limits, pass } = await start();
      await work(limits, pass);
    });
  return [
    test('failures up to the limit are allowed, and the next one is not', async (limits) => {
      const answers = [];
      for (let count = 0; count < 4; count += 1) answers.push(await limits.consume(limit, 'a'));
      expectEqual(answers.slice(0, 3), [0, 0, 0]);
      const [last = 0] = answers.slice(3);
      expectTrue(last > 0 && last <= 60, `the wait was ${last} seconds`);
    }),

    test('waitFor counts nothing, and returns a wait after the last allowed failure', async (limits) => {
      for (let count = 0; count < 10; count += 1) expectEqual(await limits.waitFor(limit, 'a'), 0);
      for (let count = 0; count < 2; count += 1) await limits.consume(limit, 'a');
      expectEqual(await limits.waitFor(limit, 'a'), 0);
      await limits.consume(limit, 'a');
      const wait = await limits.waitFor(limit, 'a');
      expectTrue(wait > 0 && wait <= 60, `the wait was ${wait} seconds`);
    }),

    test('a refused failure is not counted: after one failure is taken back, one more is allowed', async (limits) => {
      for (let count = 0; count < 50; count += 1) await limits.consume(limit, 'a');
      await atOnce(20, () => limits.consume(limit, 'a'));
      await limits.forgive(limit, 'a');
      expectEqual(await limits.waitFor(limit, 'a'), 0);
      expectEqual(await allowed(limits, 'a'), 1);
    }),

    test('taking back more failures than were counted allows no more than the limit', async (limits) => {
      await limits.consume(limit, 'a');
      for (let count = 0; count < 5; count += 1) await limits.forgive(limit, 'a');
      expectEqual(await allowed(limits, 'a'), 3);
    }),

    test('different subjects and different names are counted separately', async (limits) => {
      for (let count = 0; count < 5; count += 1) await limits.consume(limit, 'a');
      expectEqual(await limits.waitFor(limit, 'b'), 0);
      expectEqual(await limits.consume({ ...limit, name: 'other' }, 'a'), 0);
    }),

    test('clear forgets every failure of the subject, and allows as many as the limit again', async (limits) => {
      for (let count = 0; count < 5; count += 1) await limits.consume(limit, 'a');
      expectTrue((await limits.waitFor(limit, 'a')) > 0, 'nothing was counted');
      await limits.clear(limit, 'a');
      expectEqual(await limits.waitFor(limit, 'a'), 0);
      expectEqual(await allowed(limits, 'a'), 3);
    }),

    test('of 20 failures at once, as many as the limit are allowed, also of a subject that was cleared before', async (limits) => {
      for (let count = 0; count < 3; count += 1) await limits.clear(limit, 'b');
      for (const subject of ['a', 'b']) expectEqual(await allowed(limits, subject), 3);
    }),

    test('clear changes no other subject and no other limit', async (limits) => {
      const other = { ...limit, name: 'other' };
      for (let count = 0; count < 3; count += 1) {
        await limits.consume(limit, 'a');
        await limits.consume(limit, 'b');
        await limits.consume(other, 'a');
      }
      await limits.clear(limit, 'a');
      expectEqual(await limits.consume(limit, 'a'), 0);
      expectTrue((await limits.consume(limit, 'b')) > 0, 'the other subject may try again');
      expectTrue((await limits.consume(other, 'a')) > 0, 'the other limit lets the subject try again');
    }),

    test('after clear, the next failure begins a window', async (limits, pass) => {
      const short: Limit = { name: 'short', points: 1, seconds: 2 };
      await limits.consume(short, 'a');
      await pass(1000);
      await limits.clear(short, 'a');
      expectEqual(await limits.consume(short, 'a'), 0);
      await pass(1100);
      expectTrue((await limits.consume(short, 'a')) > 0, 'the window ended with the one before');
    }),

    test('the window ends `seconds` after its first failure', async (limits, pass) => {
      const short: Limit = { name: 'short', points: 2, seconds: 2 };
      await limits.consume(short, 'a');
      await pass(1000);
      await limits.consume(short, 'a');
      const [wait, refused] = [await limits.waitFor(short, 'a'), await limits.consume(short, 'a')];
      expectTrue(
        wait > 0 && wait <= 2 && refused > 0 && refused <= 2,
        `the waits were ${wait} and ${refused} seconds`,
      );
      // Failures within the window do not make it longer.
      await pass(1100);
      expectEqual(await limits.waitFor(short, 'a'), 0);
      expectEqual(await limits.consume(short, 'a'), 0);
      expectEqual(await limits.consume(short, 'a'), 0);
      expectTrue((await limits.consume(short, 'a')) > 0, 'the new window has no limit');
    }),

    test('the subject may try again after the returned wait', async (limits, pass) => {
      const short: Limit = { name: 'short', points: 1, seconds: 2 };
      await limits.consume(short, 'a');
      const wait = await limits.consume(short, 'a');
      await pass(wait * 1000 + 50);
      expectEqual([await limits.waitFor(short, 'a'), await limits.consume(short, 'a')], [0, 0]);
    }),

    test('taking back a failure after its window does not change the next window', async (limits, pass) => {
      const short: Limit = { name: 'short', points: 1, seconds: 1 };
      await limits.consume(short, 'a');
      await pass(1100);
      await limits.forgive(short, 'a');
      expectEqual(await limits.consume(short, 'a'), 0);
      expectTrue((await limits.consume(short, 'a')) > 0, 'the new window allows two failures');
    }),

    test('0 points mean no limit', async (limits) => {
      const off = { ...limit, points: 0 };
      for (let count = 0; count < 20; count += 1) expectEqual(await limits.consume(off, 'a'), 0);
      expectEqual(await limits.waitFor(off, 'a'), 0);
      await limits.clear(off, 'a');
      expectEqual(await limits.consume(off, 'a'), 0);
    }),
  ];
}

/** Of 20 failures at once, the number of those that are allowed. */
async function allowed(limits: Limits, subject: string): Promise<number> {
  const answers = await atOnce(20, () => limits.consume(limit, subject));
  return answers.filter((wait) => wait === 0).length;
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { organizationSlots } from '#adapters/sql/engine/organization-slots.js';

const LONG_MS = 5_000;
const refused = new Error('refused');

const createSlots = ({ slots = 2, maxWaiting = 8 } = {}) =>
  organizationSlots({ slots, maxWaiting, refuse: () => refused });

type Slots = ReturnType<typeof createSlots>;

/** Takes a slot, and then adds the name to `holders`. */
async function take(slots: Slots, organizationId: number, name: string, holders: string[]) {
  const release = await slots(organizationId, LONG_MS);
  holders.push(name);
  return release;
}

describe('The slots of an organization', () => {
  test('are limited, and are passed on in the order of the calls', async () => {
    const slots = createSlots();
    const holders: string[] = [];
    const all = ['one', 'two', 'three', 'four'].map((name) => take(slots, 1, name, holders));
    await pause(1);
    assert.deepEqual(holders, ['one', 'two']);
    const release = await all[1];
    release?.();
    release?.();
    await pause(1);
    assert.deepEqual(holders, ['one', 'two', 'three'], 'a second call releases nothing');
    (await all[0])?.();
    (await all[2])?.();
    await pause(1);
    assert.deepEqual(holders, ['one', 'two', 'three', 'four']);
  });

  test('are its own: another organization does not wait', async () => {
    const slots = createSlots({ slots: 1 });
    const holders: string[] = [];
    const release = await take(slots, 1, 'one', holders);
    const waiting = take(slots, 1, 'two', holders);
    await take(slots, 2, 'other', holders);
    assert.deepEqual(holders, ['one', 'other']);
    release();
    await waiting;
  });

  test('are refused after the time to wait, and then taken by the next who waits', async () => {
    const slots = createSlots({ slots: 1 });
    const release = await slots(1, LONG_MS);
    const late = assert.rejects(slots(1, 20), refused);
    const holders: string[] = [];
    const patient = take(slots, 1, 'patient', holders);
    await late;
    assert.deepEqual(holders, []);
    release();
    await patient;
    assert.deepEqual(holders, ['patient']);
  });

  test('are refused at once when too many wait, but free again when all have been released', async () => {
    const slots = createSlots({ slots: 1, maxWaiting: 1 });
    const first = await slots(1, LONG_MS);
    const second = slots(1, LONG_MS);
    await assert.rejects(slots(1, LONG_MS), refused);
    first();
    (await second)();
    assert.equal(typeof (await slots(1, LONG_MS)), 'function');
  });
});

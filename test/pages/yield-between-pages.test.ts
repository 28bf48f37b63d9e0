import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { yieldBetweenPages } from '#adapters/pages/yield-between-pages.js';

const request = {} as Request;
const response = {} as Response;

test('One page begins in each turn of the event loop, in the order in which they were asked for', async () => {
  const started: number[] = [];
  const pace = yieldBetweenPages();
  for (const page of [1, 2, 3, 4]) pace(request, response, () => started.push(page));
  const seen: number[] = [];
  while (started.length < 4) {
    seen.push(started.length);
    await nextTurn();
  }
  assert.deepEqual(started, [1, 2, 3, 4]);
  assert.ok(
    seen.every((count, turn) => turn === 0 || count - (seen[turn - 1] ?? 0) <= 1),
    `begun after each turn: ${seen.join(', ')}`,
  );
});

test('A page with none before it starts at once, and keeps the context of its request', async () => {
  const requests = new AsyncLocalStorage<string>();
  const pace = yieldBetweenPages();
  const found: string[] = [];
  for (const name of ['one', 'two'])
    requests.run(name, () => pace(request, response, () => found.push(requests.getStore() ?? '')));
  assert.deepEqual(found, ['one']);
  while (found.length < 2) await nextTurn();
  await nextTurn();
  await nextTurn();
  requests.run('three', () => pace(request, response, () => found.push(requests.getStore() ?? '')));
  assert.deepEqual(found, ['one', 'two', 'three']);
});

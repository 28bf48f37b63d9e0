import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { yieldBetweenPages } from '#adapters/express/pages/visit-limits.js';

const request = {} as Request;
const response = {} as Response;

test('One page starts in each iteration of the event loop, in the order of the requests', async () => {
  const started: number[] = [];
  const handle = yieldBetweenPages();
  for (const page of [1, 2, 3, 4]) handle(request, response, () => started.push(page));
  const seen: number[] = [];
  while (started.length < 4) {
    seen.push(started.length);
    await nextIteration();
  }
  assert.deepEqual(started, [1, 2, 3, 4]);
  assert.ok(
    seen.every((count, index) => index === 0 || count - (seen[index - 1] ?? 0) <= 1),
    `started after each iteration: ${seen.join(', ')}`,
  );
});

test('A page starts at once if no other is waiting, and keeps the context of its request', async () => {
  const requests = new AsyncLocalStorage<string>();
  const handle = yieldBetweenPages();
  const found: string[] = [];
  for (const name of ['one', 'two'])
    requests.run(name, () => handle(request, response, () => found.push(requests.getStore() ?? '')));
  assert.deepEqual(found, ['one']);
  while (found.length < 2) await nextIteration();
  await nextIteration();
  await nextIteration();
  requests.run('three', () => handle(request, response, () => found.push(requests.getStore() ?? '')));
  assert.deepEqual(found, ['one', 'two', 'three']);
});

import type { Limit } from '../access/ports/limits.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';

/** Limits how fast someone could scan a network by sending tests to one URL after another. */
const tests: Limit = { name: 'webhook-test', points: 10, seconds: 60 };

/**
 * Counts a test that an organization asks for.
 *
 * @throws `Refusal`: `too-many-requests` after ten tests in a minute.
 */
export async function countTest({ limits }: Uses<'limits.consume'>, organizationId: number): Promise<void> {
  const seconds = await limits.consume(tests, String(organizationId));
  if (seconds === 0) return;
  const message = `At most ${tests.points} tests a minute can be sent; try again in ${seconds} s`;
  throw new Refusal('too-many-requests', message, seconds);
}

/** Takes back a counted test that is not sent. */
export function takeTestBack({ limits }: Uses<'limits.forgive'>, organizationId: number): Promise<void> {
  return limits.forgive(tests, String(organizationId));
}

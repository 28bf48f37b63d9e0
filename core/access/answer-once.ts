import type { Uses } from '../deps.js';
import { CallLost, Refusal, refusal, Unavailable } from '../errors.js';
import { mayBeId } from '../values/ids.js';
import { refuseAny } from '../values/problems.js';
import { Secret } from '../values/secret.js';
import { answerLifetimeMs, idempotencyKeyProblem } from './idempotency-key.js';
import type { OfOrganization } from './of-organization.js';
import { organizationNotFound } from './organization-not-found.js';
import type { KeptAnswer, NewIdempotentCall } from './ports/idempotency-keys.js';

/** A run that has no answer after this time was cut off by a crash. Requests end much earlier. */
const CUT_OFF_MS = 60 * 1000;
const RETRY_SECONDS = 1;
/** What is kept for one organization at most: calls, and characters of their encrypted answers. */
const MAX_KEPT_CALLS = 20_000;
const MAX_KEPT_ANSWER_LENGTH = 16 * 1024 * 1024;

/** The request of `answerOnce`. */
export interface AnswerOnce
  extends OfOrganization,
    Pick<NewIdempotentCall, 'operation' | 'key' | 'fingerprint'> {
  /**
   * Does what is requested, and returns the answer. If it does so in one transaction, it should pass its answer to
   * `keep` and store the result in that transaction: then nothing can do it twice, not even after a crash.
   */
  readonly work: (keep: (answer: string) => KeptAnswer) => Promise<string>;
}

/**
 * Does the work and returns its answer. The same request with the same key gets that answer for 24 hours, and the work is
 * not done again. If the work throws, nothing is kept, unless its transaction has kept the answer. If a crash cuts it
 * off, the work can be done again after a minute. A run that takes longer than that, and whose call is taken over, gives
 * no answer.
 *
 * @throws `Refusal`: `invalid-request` if the key is not 1 to 255 printable ASCII characters, `idempotency-key-reused` if
 * it belongs to another request, `idempotency-key-in-use` while the work is being done, or if another run has taken the
 * call over, `too-many-requests` if 20,000 calls or answers of 16 MiB are kept for the organization,
 * `organization-not-found`. What `work` throws.
 */
export async function answerOnce(
  deps: Uses<
    | 'clock.now'
    | 'idempotencyKeys.abandon'
    | 'idempotencyKeys.begin'
    | 'idempotencyKeys.finish'
    | 'ids.uuid'
    | 'secrets.decrypt'
    | 'secrets.encrypt'
  >,
  { organization: { id: organizationId }, operation, key, fingerprint, work }: AnswerOnce,
): Promise<string> {
  const { clock, idempotencyKeys, ids, secrets } = deps;
  if (!mayBeId('organization.id', organizationId))
    throw organizationNotFound('organization.id', organizationId);
  refuseAny([idempotencyKeyProblem(key)]);

  const now = clock.now();
  const ago = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
  const call = { organizationId, operation, key, run: ids.uuid() };
  const begun = await idempotencyKeys.begin({
    ...call,
    fingerprint,
    at: now,
    cutOffBefore: ago(CUT_OFF_MS),
    forgottenBefore: ago(answerLifetimeMs),
    maxCalls: MAX_KEPT_CALLS,
    maxAnswerLength: MAX_KEPT_ANSWER_LENGTH,
  });
  if (begun === 'unknown-organization') throw organizationNotFound('organization.id', organizationId);
  if (begun === 'running') throw stillRunning();
  if (begun === 'other-request')
    throw new Refusal('idempotency-key-reused', 'This Idempotency-Key was used for another request');
  if (begun !== 'fresh' && 'oldestAt' in begun) throw tooManyKept(now, begun.oldestAt);
  if (begun !== 'fresh')
    return secrets.decrypt({ encrypted: begun.encryptedAnswer, organizationId }).reveal();

  const toKeep = (answer: string): KeptAnswer => ({
    ...call,
    encryptedAnswer: secrets.encrypt({ secret: new Secret(answer), organizationId }),
  });
  let isKeptByWork = false;
  const keep = (answer: string): KeptAnswer => {
    isKeptByWork = true;
    return toKeep(answer);
  };
  const answer = await work(keep).catch(async (error: unknown) => {
    if (error instanceof CallLost) throw stillRunning();
    await unlessUnavailable(idempotencyKeys.abandon(call));
    throw error;
  });
  // The work is done, so its answer is returned even if it cannot be kept.
  const isKept = await unlessUnavailable(idempotencyKeys.finish(toKeep(answer)));
  // Another run has taken the call over, because this one took too long. The other run's answer counts.
  if (isKept === false && !isKeptByWork) throw stillRunning();
  return answer;
}

const stillRunning = refusal(
  'idempotency-key-in-use',
  'The first request with this Idempotency-Key is still running',
  RETRY_SECONDS,
);

function tooManyKept(now: Date, oldestAt: Date): Refusal {
  const seconds = Math.ceil((oldestAt.getTime() + answerLifetimeMs - now.getTime()) / 1000);
  return new Refusal(
    'too-many-requests',
    'Too many answers are kept for the Idempotency-Keys of the last 24 hours: try again later, or without a key',
    Math.max(seconds, 1),
  );
}

async function unlessUnavailable<Result>(written: Promise<Result>): Promise<Result | undefined> {
  return written.catch((error: unknown): undefined => {
    if (!(error instanceof Unavailable)) throw error;
  });
}

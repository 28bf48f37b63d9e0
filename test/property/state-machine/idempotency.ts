import fc from 'fast-check';
import type { Answer, Call, Plan } from './command.js';
import { refused, resolved } from './command.js';
import { DAY, type Model, type OrganizationModel } from './model.js';

/** An `Idempotency-Key`, one of few, so that they are used again; undefined: none. */
export const idempotencyKey: fc.Arbitrary<string | undefined> = fc.option(fc.constantFrom('k', 'l', 'é'), {
  nil: undefined,
  freq: 3,
});

/**
 * The plan of a call that knows the header (decision 190): the same request gets the first answer again and has no
 * effect, another one is refused. Refusals keep nothing.
 */
export function answeredOnce(
  { now }: Model,
  organization: OrganizationModel,
  given: {
    readonly operation: string;
    readonly key: string | undefined;
    readonly call: Call;
    readonly answer: Answer;
  },
): Plan {
  const { operation, key, answer } = given;
  // Which of two reasons a refusal names is not promised, so a request has only one.
  if (key === undefined || (answer.status >= 400 && key === 'é')) return given;
  const sentKey = `${key}-${organization.keyRound}`;
  const call = { ...given.call, headers: { 'Idempotency-Key': sentKey } };
  if (key === 'é') return { call: { ...call, headers: { 'Idempotency-Key': 'é' } }, answer: unprintable };
  const place = `${operation} ${sentKey}`;
  const request = JSON.stringify([call.path.map(String), resolved(call.json) ?? null]);
  const kept = organization.answers.get(place);
  if (kept !== undefined && now - kept.at < DAY) {
    if (kept.request !== request && answer.status >= 400) return given;
    if (kept.request !== request)
      return {
        call,
        answer: refused(422, 'idempotency-key-reused', 'This Idempotency-Key was used for another request'),
      };
    return { call, answer: { status: kept.status, body: kept.text, isText: true } };
  }
  return {
    call,
    answer: {
      ...answer,
      effect: (reply) => {
        const { status, text } = reply;
        if (status < 400) organization.answers.set(place, { request, at: now, status, text });
        answer.effect?.(reply);
      },
    },
  };
}

const unprintable = refused(
  400,
  'invalid-request',
  'Idempotency-Key must be 1 to 255 printable ASCII characters',
);

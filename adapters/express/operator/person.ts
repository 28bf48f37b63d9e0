import { type PersonKey, Refusal } from '@rollcall/core';

/** The person that a request names. Throws a `Refusal` unless it names one in one way. */
export function personIn({ email, uuid }: { readonly email?: string; readonly uuid?: string }): PersonKey {
  if (email !== undefined && uuid === undefined) return { email };
  if (uuid !== undefined && email === undefined) return { uuid };
  throw new Refusal('invalid-request', 'Exactly one of email and uuid is required');
}

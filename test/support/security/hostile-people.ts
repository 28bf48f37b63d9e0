import assert from 'node:assert/strict';
import type { Reply } from '../http/reply.js';
import { base, type Call, type ReadBack } from './hostile-api.js';
import type { HostileValue } from './hostile-values.js';

export type Person = Readonly<Record<'email' | 'first_name' | 'last_name', string>>;

/** The fields of an invitation beside the hostile one; `fillBody` replaces NUMBER. */
export const otherFields: Person = {
  email: 'hostile-NUMBER@example.test',
  first_name: 'Dana',
  last_name: 'Kim',
};
export const personFields = ['email', 'first_name', 'last_name'] as const;

let lastAddress = 0;

/** Puts the value into the body, with an address of its own: another call must not get its invitation. */
export function fillBody(body: string, value: string, number: number): string {
  lastAddress += 1;
  return body.replace('VALUE', () => value).replace('NUMBER', `${number}-${lastAddress}`);
}

/** Checks that the field is stored as sent: inviting again with other names returns it. */
export function invitedAgain({
  everywhere,
  field,
  sentText,
}: {
  readonly everywhere: (call: Call) => Promise<Reply>;
  readonly field: keyof Person;
  readonly sentText: (value: HostileValue) => unknown;
}): ReadBack {
  return async (reply, value) => {
    const sent = String(sentText(value));
    const { user } = reply.json as { readonly user: Person };
    assert.doesNotMatch(sent, /\p{Cc}/u);
    assert.equal(user[field], field === 'email' ? sent.trim().toLowerCase() : sent);
    const again = { email: user.email, first_name: 'Other', last_name: 'Name' };
    const second = await everywhere({ method: 'POST', path: `${base}/invite_user`, sent: { json: again } });
    assert.deepEqual(second.json, reply.json);
  };
}

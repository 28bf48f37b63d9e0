import { storedIn, text, textOrNull, time, wholeOrNull } from '../engine/stored.js';

const fields = { boundTo: wholeOrNull, createdAt: time, seenAt: time, device: textOrNull };
const names = { createdAt: 'opened_at' };

/** A session without its user. */
export const storedSession = storedIn('sessions', fields, { names });

export const storedSessionWithHash = storedIn('sessions', { hash: text, ...fields }, { names });

import { randomBytes } from 'node:crypto';
import { Refusal, Unavailable } from '@rollcall/core';
import type { PageDeps } from './page-deps.js';

/** Names a kept text in an address or a cookie. Nobody can guess it. */
export function newTextKey(): string {
  return randomBytes(16).toString('base64url');
}

export function isTextKey(text: unknown): text is string {
  return typeof text === 'string' && /^[\w-]{22}$/.test(text);
}

/**
 * Keeps a text of the organization for as long as answers to repeated calls. `readAnswer` reads it. False: there is no
 * room for it, or the database cannot be reached.
 */
export async function keepText(
  { core }: Pick<PageDeps, 'core'>,
  kept: {
    readonly organizationId: number;
    /** What the text is, such as `answer-to-a-form`. */
    readonly operation: string;
    readonly key: string;
    readonly text: string;
  },
): Promise<boolean> {
  const { organizationId, operation, key, text } = kept;
  const organization = { id: organizationId };
  try {
    await core.answerOnce({ organization, operation, key, fingerprint: key, work: async () => text });
    return true;
  } catch (error) {
    const isFull = error instanceof Refusal && error.code === 'too-many-requests';
    if (isFull || error instanceof Unavailable) return false;
    throw error;
  }
}

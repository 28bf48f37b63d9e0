import type { ProviderFailure } from '@rollcall/core';
import { oneLine } from '@rollcall/core/adapters';
import { FetchFailure } from '../webhook/guarded-fetch.js';

/** An answer of a provider that proves nothing. `reason` is for the owner. */
export class Untrusted extends Error {}

const MAX_CHARACTERS = 300;

export function failure(
  kind: ProviderFailure['failure'],
  reason: string,
  code: string | null = null,
): ProviderFailure {
  return { failure: kind, reason, code };
}

/** What a library has thrown, as far as it is used here. */
interface Thrown {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly error?: unknown;
  readonly error_description?: unknown;
  readonly response?: unknown;
}

/** The failure that an error means. Throws it if it is not about the provider. */
export async function failureOf(error: unknown): Promise<ProviderFailure> {
  for (let at: unknown = error, depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if (at instanceof FetchFailure) return failure(at.kind, at.message);
    if (at instanceof Untrusted) return failure('invalid', at.message);
    at = at.cause;
  }
  const { name, code, cause, error: word, error_description: description, response } = error as Thrown;
  if (typeof word === 'string') return failure('invalid', inWords(word, description));
  if (response instanceof Response && !response.bodyUsed) {
    const { error: said, error_description: more } = await jsonOf(response);
    return failure('invalid', inWords(said, more));
  }
  const isOfLibrary = typeof code === 'string' && /^(OAUTH|ERR_J)/.test(code);
  if (!isOfLibrary) throw error;
  const inner = cause instanceof Error ? `: ${cause.message}` : '';
  return failure('invalid', short(`${(error as Error).message || String(name)}${inner}`));
}

/** The provider's own words. */
function inWords(error: unknown, description: unknown): string {
  const words = [error, description].filter((one) => typeof one === 'string' && one !== '');
  return short(`the provider said: ${words.join(', ') || 'nothing'}`);
}

async function jsonOf(response: Response): Promise<Thrown> {
  try {
    return Object(await response.json()) as Thrown;
  } catch {
    return {};
  }
}

function short(text: string): string {
  return oneLine(text).slice(0, MAX_CHARACTERS);
}

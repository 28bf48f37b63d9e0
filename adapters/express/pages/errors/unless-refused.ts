import { Refusal } from '@rollcall/core';

/** The answer, or null if the core refuses. */
export async function unlessRefused<Answer>(work: Promise<Answer>): Promise<Answer | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

import type { Problem } from '../values/problem.js';
import { textProblem } from '../values/text.js';

/** What is wrong with the name of an organization, or null. */
export function organizationNameProblem(name: unknown): Problem | null {
  return textProblem('name', name, { maxCharacters: 300 });
}

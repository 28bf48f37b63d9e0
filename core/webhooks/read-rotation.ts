import type { Problem } from '../values/problem.js';
import { readOverlapHours, webhookProblems } from './webhook-problems.js';

/** The rotation that a request asks for. */
export interface RequestedRotation {
  readonly rotates: boolean;
  /** For how many hours the old secret stays in use; null: not at all. */
  readonly overlapHours: number | null;
  readonly problems: readonly Problem[];
}

/** Reads the fields of a rotation as received. `isUnderWay`: the secret of an earlier rotation is still in use. */
export function readRotation({
  regenerateSecret,
  overlapHours: input,
  isUnderWay,
}: {
  readonly regenerateSecret: unknown;
  readonly overlapHours: unknown;
  readonly isUnderWay: boolean;
}): RequestedRotation {
  const rotates = readSwitch(regenerateSecret);
  const overlapHours = readOverlapHours(input);
  const problems: Problem[] = [];
  if (rotates === null) problems.push(webhookProblems.regenerateSecret);
  if (input !== undefined && overlapHours === null) problems.push(webhookProblems.overlapHours);
  if (overlapHours !== null && rotates === false) problems.push(webhookProblems.overlapWithoutRotation);
  if (overlapHours !== null && rotates === true && isUnderWay)
    problems.push(webhookProblems.rotationUnderWay);
  return { rotates: rotates === true, overlapHours, problems };
}

/** True for `true`, `1` and `"1"`; false for `false`, `0`, `"0"` and undefined; null for anything else. */
function readSwitch(input: unknown): boolean | null {
  if (input === '1' || input === 1 || input === true) return true;
  if (input === undefined || input === '0' || input === 0 || input === false) return false;
  return null;
}

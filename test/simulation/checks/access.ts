import type { Evidence } from '../checker.js';
import { type Op, ofKind, shortKey } from '../history.js';
import { isDoneBefore, mayHaveHappened } from './may.js';

/** A replaced access key, and its tokens, get nothing from the moment that was acknowledged; the newest one works. */
export function checkAccess({ history }: Evidence): readonly string[] {
  const replacements = ofKind(history, 'replaceKey');
  const uses: readonly (Op<'authenticate'> | Op<'call'>)[] = [
    ...ofKind(history, 'authenticate'),
    ...ofKind(history, 'call'),
  ];
  const broken: string[] = [];
  for (const use of uses) {
    const { org, key } = use;
    const made = replacements.find((op) => op.key === key);
    if (made === undefined) continue;
    const later = replacements.filter((op) => op.org === org && op !== made && op.start > made.end);
    const done = later.filter((op) => isDoneBefore(op, use.start));
    const what = `${use.did === 'call' ? 'a token of ' : ''}access key ${shortKey(key)} of organization ${org}`;
    if (use.outcome === 'ok') {
      const killer = done.find((op) => !op.keepsOld) ?? secondAfter(done);
      if (killer !== undefined) broken.push(`${what} worked after it was replaced`);
    }
    const refusal = use.did === 'call' ? 'unauthorized-access' : 'invalid-access-key';
    const mayBeDead = replacements.some(
      (op) =>
        op.org === org && op !== made && mayHaveHappened(op) && op.start < use.end && op.end > made.start,
    );
    if (use.code === refusal && !mayBeDead) broken.push(`${what} was refused although nothing replaced it`);
    // One replacement that keeps the old key leaves it working for hours.
    const others = replacements.filter((op) => op.org === org && op !== made && mayHaveHappened(op));
    const [only] = others.filter((op) => op.end > made.start && op.start < use.end);
    const isKept =
      others.filter((op) => op.end > made.start && op.start < use.end).length === 1 &&
      only?.keepsOld === true;
    if (use.code === refusal && isKept && only !== undefined && only.start > made.end)
      broken.push(`${what} was refused although it is kept`);
  }
  return broken;
}

/** A replacement that began after another one had ended. It ends the key that the first one kept. */
function secondAfter(done: readonly Op<'replaceKey'>[]): Op<'replaceKey'> | undefined {
  return done.find((op) => done.some((other) => other.end < op.start));
}

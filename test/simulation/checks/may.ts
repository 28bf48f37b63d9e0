import { type History, type Op, ofKind } from '../history.js';

/** Whether the operation did something, or may have: it was acknowledged, or nobody knows. */
export function mayHaveHappened({ outcome }: Pick<Op, 'outcome'>): boolean {
  return outcome === 'ok' || outcome === 'unknown';
}

/** Whether the operation was acknowledged before this step. Without an answer, `end` is infinite. */
export function isDoneBefore({ outcome, end }: Pick<Op, 'outcome' | 'end'>, tick: number): boolean {
  return outcome === 'ok' && end < tick;
}

/** Whether the person was erased at some time, or may have been. Then what is stored no longer names them. */
export function mayBeErased(history: History, email: string): boolean {
  return ofKind(history, 'erase').some((op) => op.email === email && mayHaveHappened(op));
}

export function count<Item>(items: readonly Item[], is: (item: Item) => boolean): number {
  return items.reduce((sum, item) => sum + (is(item) ? 1 : 0), 0);
}

/** Whether kept answers may have been forgotten, because erasing a person removes them. */
export function mayForgetAnswers(history: History): boolean {
  return ofKind(history, 'erase').some(mayHaveHappened);
}

/** What a repeated call did if the answer may have been forgotten: nothing, or the same again. */
const nobodyKnows = { outcome: 'unknown', end: Number.POSITIVE_INFINITY } as const;

function isFirst<Each extends Op & { readonly idempotencyKey: string | null }>(
  ops: readonly Each[],
  { idempotencyKey, start }: Each,
): boolean {
  return !ops.some(
    (other) => idempotencyKey !== null && other.idempotencyKey === idempotencyKey && other.start < start,
  );
}

/** The operations with the same idempotency key as one: it began with the first, and the first answer ended it. */
export function mergeRepeated<Each extends Op & { readonly idempotencyKey: string | null }>(
  history: History,
  ops: readonly Each[],
): readonly Each[] {
  if (mayForgetAnswers(history)) return ops.map((op) => (isFirst(ops, op) ? op : { ...op, ...nobodyKnows }));
  const merged = new Map<string, Each>();
  ops.forEach((op, index) => {
    const name = op.idempotencyKey === null ? `${index}` : `key ${op.idempotencyKey}`;
    const before = merged.get(name);
    if (before === undefined) merged.set(name, { ...op });
    else if (op.outcome === 'ok' && before.outcome !== 'ok') merged.set(name, { ...op, start: before.start });
    else if (op.outcome === 'unknown' && !mayHaveHappened(before))
      merged.set(name, { ...op, start: before.start });
  });
  return [...merged.values()];
}

/** A registration is refused although the person is a member now, if their password changed before the session started. */
export function mayHaveJoined(join: Op<'join'>): boolean {
  return mayHaveHappened(join) || join.code === 'session-not-started';
}

/**
 * Whether the redemption may have used its link although it was refused: the person was removed or erased after that, so no
 * session could begin.
 */
export function isLostUse(history: History, redemption: Op<'redeem'>): boolean {
  const { code, start, end } = redemption;
  return (
    code === 'login-link-unknown' &&
    departures(history, redemption).some((op) => op.start < end && op.end > start)
  );
}

/** What ends the membership of the person, and with it their login links: removals and erasures. */
export function departures(
  history: History,
  { org, email }: { readonly org: number; readonly email: string },
): readonly Op[] {
  return [
    ...ofKind(history, 'remove').filter((op) => op.org === org && op.email === email),
    ...ofKind(history, 'erase').filter((op) => op.email === email),
  ];
}

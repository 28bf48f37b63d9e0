import type { Evidence } from '../checker.js';
import { type History, type Op, ofKind } from '../history.js';
import { isDoneBefore, mayBeErased, mayHaveHappened, mayHaveJoined } from './may.js';

/**
 * An invitation that was accepted, revoked, replaced or whose member was removed lets nobody in. Until then a person has
 * one invitation, and nobody is told that it was used.
 */
export function checkInvitations({ history }: Evidence): readonly string[] {
  return [...deadInvitations(history), ...sameInvitation(history), ...wrongRefusals(history)];
}

function deadInvitations(history: History): readonly string[] {
  const joins = ofKind(history, 'join');
  const broken: string[] = [];
  for (const join of joins) {
    if (join.outcome !== 'ok' || join.token === null) continue;
    const { org, email, token } = join;
    const told = toldInvitations(history).filter((op) => op.token === token);
    const learned = Math.min(...told.map(({ end }) => end));
    const uuid = told[0]?.uuid;
    const used = joins.find((other) => other.token === token && isDoneBefore(other, join.start));
    if (used !== undefined) broken.push(`${email} accepted the same invitation twice: ${token}`);
    // Of accepting and revoking at once, one is refused, whichever comes first.
    for (const op of [...ofKind(history, 'revoke'), ...ofKind(history, 'renew')])
      if (op.uuid === uuid && learned < op.start && op.outcome === 'ok')
        broken.push(
          `${email} accepted an invitation to organization ${org} that was ${op.did === 'renew' ? 'renewed' : 'revoked'} too: ${token}`,
        );
    const ended = joins.find(
      (other) =>
        other.token === null &&
        other.org === org &&
        other.email === email &&
        learned < other.start &&
        isDoneBefore(other, join.start),
    );
    if (ended !== undefined)
      broken.push(`${email} accepted an invitation although a registration had closed it: ${token}`);
  }
  return broken;
}

type Told = Op<'invite'> | Op<'renew'>;

function toldInvitations(history: History): readonly Told[] {
  return [...ofKind(history, 'invite'), ...ofKind(history, 'renew')].filter(({ token }) => token !== null);
}

/** However often a person is invited, there is one invitation with one URL, until something ends it. */
function sameInvitation(history: History): readonly string[] {
  const invites = ofKind(history, 'invite').filter(({ outcome }) => outcome === 'ok');
  const broken: string[] = [];
  for (const [index, one] of invites.entries()) {
    for (const other of invites.slice(index + 1)) {
      if (one.org !== other.org || one.email !== other.email || one.token === other.token) continue;
      const from = Math.min(one.start, other.start);
      const to = Math.max(one.end, other.end);
      const isEnded = history.ops.some(
        (op) =>
          (op.did === 'erase' ||
            ((op.did === 'join' || op.did === 'remove' || op.did === 'revoke' || op.did === 'renew') &&
              op.org === one.org)) &&
          op.email === one.email &&
          op.start <= to &&
          (op.outcome === 'unknown' || op.end >= from || op.code === 'session-not-started'),
      );
      if (!isEnded) broken.push(`${one.email} has two invitations: ${one.token} and ${other.token}`);
    }
  }
  return broken;
}

/** Nobody is told that an invitation was used if nobody else can have used it. */
function wrongRefusals(history: History): readonly string[] {
  const joins = ofKind(history, 'join');
  const broken: string[] = [];
  for (const join of joins) {
    if (join.code === null) continue;
    const same = (op: Op): boolean =>
      'org' in op && 'email' in op && op.org === join.org && op.email === join.email && op !== join;
    const others = history.ops.filter(
      (op) => same(op) && op.start < join.end && op.outcome !== 'unreachable',
    );
    const has = (...kinds: readonly Op['did'][]): boolean =>
      others.some(
        (op) => kinds.includes(op.did) && (mayHaveHappened(op) || (op.did === 'join' && mayHaveJoined(op))),
      );
    const isErased = mayBeErased(history, join.email);
    if (join.code === 'invitation-used' && !isErased && !has('join', 'revoke', 'renew', 'remove'))
      broken.push(`${join.email} was told that an unused invitation was used: ${join.token}`);
    if (join.code === 'invitation-revoked' && !isErased && !has('revoke', 'renew', 'remove'))
      broken.push(`${join.email} was told that a good invitation was revoked: ${join.token}`);
    if (join.code === 'invitation-unknown' && !isErased)
      broken.push(`${join.email} was told that an invitation does not exist: ${join.token}`);
    if (join.code === 'already-member' && !has('join'))
      broken.push(`${join.email} was told to be a member, without any other registration`);
  }
  return broken;
}

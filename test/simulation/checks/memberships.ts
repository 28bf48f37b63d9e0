import type { Evidence } from '../checker.js';
import { type History, type Op, ofKind } from '../history.js';
import { count, isDoneBefore, mayBeErased, mayHaveHappened, mayHaveJoined } from './may.js';

/**
 * Every acknowledged registration has its event, and no event has no registration. A person joins once until they are
 * removed. An invitation that was accepted, revoked, replaced or whose member was removed lets nobody in.
 */
export function checkMemberships({ history, finals }: Evidence): readonly string[] {
  const joins = ofKind(history, 'join');
  const removals = ofKind(history, 'remove');
  const broken: string[] = [];
  for (const { org, events, members } of finals) {
    const emails = new Set([
      ...joins.filter((join) => join.org === org).map(({ email }) => email),
      ...events.map(({ body }) => emailIn(body)),
      ...members,
    ]);
    for (const email of emails) {
      if (email === null || mayBeErased(history, email)) continue;
      const is = (op: { readonly org: number; readonly email: string }): boolean =>
        op.org === org && op.email === email;
      const who = `${email} in organization ${org}`;
      const joined = joins.filter(is);
      const told = count(events, ({ body }) => emailIn(body) === email);
      const sure = count(joined, ({ outcome }) => outcome === 'ok');
      const possible = count(joined, mayHaveJoined);
      if (told < sure) broken.push(`${who}: ${sure} registrations were acknowledged, ${told} have an event`);
      if (told > possible) broken.push(`${who}: ${told} events of at most ${possible} registrations`);
      const left = told - (members.includes(email) ? 1 : 0);
      const removed = removals.filter(is);
      const leastLeft = count(removed, ({ outcome }) => outcome === 'ok');
      const mostLeft = count(removed, mayHaveHappened);
      if (left < leastLeft || left > mostLeft)
        broken.push(
          `${who}: joined ${told} times, ${members.includes(email) ? 'is' : 'is not'} a member in the end, and was removed ${leastLeft} to ${mostLeft} times`,
        );
    }
    const duplicates = members.filter((email, index) => members.indexOf(email) !== index);
    for (const email of duplicates) broken.push(`${email} is twice a member of organization ${org}`);
  }
  return [...broken, ...deadInvitations(history), ...sameInvitation(history), ...wrongRefusals(history)];
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

/** What an event tells. */
interface ToldEvent {
  readonly event_id: string;
  readonly organization: { readonly id: number; readonly name: string };
  /** `email`: null if the person was erased. */
  readonly user: { readonly email: string | null };
}

/** The bodies that were read last. Each is asked for many times. */
const toldEvents = new Map<string, ToldEvent>();
const MAX_TOLD_EVENTS = 200;

export function eventIn(body: string): ToldEvent {
  const known = toldEvents.get(body);
  if (known !== undefined) return known;
  const told = JSON.parse(body) as ToldEvent;
  if (toldEvents.size >= MAX_TOLD_EVENTS) toldEvents.clear();
  toldEvents.set(body, told);
  return told;
}

/** Null: the person was erased. */
export function emailIn(body: string): string | null {
  return eventIn(body).user.email;
}

import type { Evidence } from '../checker.js';
import { type History, type Op, ofKind } from '../history.js';
import { isDoneBefore, isLostUse, mayBeErased, mayHaveHappened, mayHaveJoined } from './may.js';

const LINK_LIFETIME_MS = 5 * 60_000;

/** A link signs in once. An ended session and a removed member get nothing from the moment that was acknowledged. */
export function checkSessions(evidence: Evidence): readonly string[] {
  const { history } = evidence;
  return [...links(evidence), ...visits(history), ...passwords(history), ...guesses(evidence)];
}

function links({ history, clocks }: Evidence): readonly string[] {
  const apart = Math.max(...clocks) - Math.min(...clocks);
  const redemptions = ofKind(history, 'redeem');
  const broken: string[] = [];
  for (const link of ofKind(history, 'link')) {
    const { org, email } = link;
    if (link.outcome === 'ok' && isOut(history, { org, email, from: link.start }))
      broken.push(`organization ${org} got a login link for ${email}, who had been removed`);
  }
  for (const [index, redemption] of redemptions.entries()) {
    const { org, email, token } = redemption;
    const link = linkOf(history, token);
    if (link === undefined) continue;
    const others = redemptions.filter((other, place) => place !== index && other.token === token);
    if (redemption.outcome === 'ok') {
      if (
        others.some(
          (other, place) => other.outcome === 'ok' && redemptions.indexOf(other) > index && place >= 0,
        )
      )
        broken.push(`${email} signed in twice with ${token}`);
      const removed = ofKind(history, 'remove').find(
        (op) =>
          op.org === org && op.email === email && op.start > link.end && isDoneBefore(op, redemption.start),
      );
      if (removed !== undefined) broken.push(`${email} signed in with ${token} after being removed`);
      if (redemption.startedAt - link.endedAt > LINK_LIFETIME_MS + apart)
        broken.push(`${email} signed in with ${token}, which had expired`);
    }
    const isTried = others.some(
      (other) => (mayHaveHappened(other) || isLostUse(history, other)) && other.start < redemption.end,
    );
    const isErased = mayBeErased(history, email);
    const isRemoved = ofKind(history, 'remove').some(
      (op) => op.org === org && op.email === email && mayHaveHappened(op) && op.start < redemption.end,
    );
    if (redemption.code === 'login-link-used' && !isTried && !isRemoved && !isErased)
      broken.push(`${email} was told that ${token} was used, although nobody used it`);
    if (redemption.code === 'login-link-unknown' && !isRemoved && !isErased)
      broken.push(`${email} was told that ${token} does not exist`);
    if (
      redemption.code === 'login-link-expired' &&
      redemption.endedAt - link.startedAt < LINK_LIFETIME_MS - apart
    )
      broken.push(`${email} was told too early that ${token} has expired`);
  }
  return broken;
}

function linkOf(history: History, token: string): Op<'link'> | undefined {
  return ofKind(history, 'link').find((op) => op.token === token);
}

/** Whether the person had left the organization for good before this step. */
function isOut(
  history: History,
  { org, email, from }: { readonly org: number; readonly email: string; readonly from: number },
): boolean {
  const joins = ofKind(history, 'join').filter((op) => op.org === org && op.email === email);
  return ofKind(history, 'remove').some(
    (op) =>
      op.org === org &&
      op.email === email &&
      isDoneBefore(op, from) &&
      !joins.some(
        (join) => mayHaveJoined(join) && join.end > op.start && join.start < Number.POSITIVE_INFINITY,
      ),
  );
}

/** Whether the removed person may have joined again before this step. */
function isBackBefore(history: History, { org, email, start }: Op<'remove'>, tick: number): boolean {
  return ofKind(history, 'join').some(
    (join) => join.org === org && join.email === email && join.start < tick && join.end > start,
  );
}

type Started = Op<'join'> | Op<'redeem'> | Op<'signIn'> | Op<'changePassword'>;

function startOf(history: History, session: string): Started | undefined {
  return history.ops.find((op): op is Started => 'session' in op && isStart(op) && op.session === session);
}

function isStart(op: Op): op is Started {
  return op.did === 'join' || op.did === 'redeem' || op.did === 'signIn' || op.did === 'changePassword';
}

function visits(history: History): readonly string[] {
  const broken: string[] = [];
  for (const visit of ofKind(history, 'visit')) {
    const { org, email, session } = visit;
    const started = startOf(history, session);
    if (started === undefined) continue;
    const who = `${email} with ${session}`;
    const signedOut = ofKind(history, 'signOut').filter((op) => op.session === session);
    const changes = ofKind(history, 'changePassword').filter((op) => op.email === email && op !== started);
    const removals = ofKind(history, 'remove').filter((op) => op.email === email);
    const isBound = started.did === 'redeem';
    // What ends a link and began after the link was known ends its session too, whichever comes first.
    const since = isBound ? (linkOf(history, started.token)?.end ?? started.end) : started.end;
    if (visit.outcome === 'ok') {
      if (isBound && started.org !== org)
        broken.push(`${who} opened organization ${org} by another one’s link`);
      if (signedOut.some((op) => isDoneBefore(op, visit.start)))
        broken.push(`${who} was signed out and came in`);
      if (changes.some((op) => op.start > started.end && isDoneBefore(op, visit.start)))
        broken.push(`${who} came in after the password had changed`);
      if (isOut(history, { org, email, from: visit.start }))
        broken.push(`${who} had been removed from organization ${org} and came in`);
      if (
        isBound &&
        removals.some(
          (op) =>
            op.org === org &&
            op.start > (isBackBefore(history, op, started.end) ? started.end : since) &&
            isDoneBefore(op, visit.start),
        )
      )
        broken.push(`${who} came in by the session of an ended membership`);
    }
    const mayHaveEnded = [...signedOut, ...changes, ...(isBound ? removals : [])].some(
      (op) => mayHaveHappened(op) && op.start < visit.end,
    );
    const erasures = ofKind(history, 'erase').filter((op) => op.email === email);
    if (visit.outcome === 'ok' && erasures.some((op) => op.start > since && isDoneBefore(op, visit.start)))
      broken.push(`${who} came in after being erased`);
    if (
      visit.code === 'sign-in-required' &&
      !mayHaveEnded &&
      !mayBeErased(history, email) &&
      visit.endedAt - started.endedAt < 20 * 60_000
    )
      broken.push(`${who} was signed in and not let in`);
    const isMember = ofKind(history, 'join').some(
      (op) => op.org === org && op.email === email && isDoneBefore(op, visit.start),
    );
    if (
      visit.code === 'organization-not-found' &&
      isMember &&
      !mayBeErased(history, email) &&
      !removals.some((op) => op.org === org && mayHaveHappened(op) && op.start < visit.end)
    )
      broken.push(`${who} is a member of organization ${org} and was not let in`);
  }
  return broken;
}

/** A replaced password signs nobody in, and the right one is accepted. */
function passwords(history: History): readonly string[] {
  const changes = ofKind(history, 'changePassword');
  const broken: string[] = [];
  for (const signIn of ofKind(history, 'signIn')) {
    const { email, password } = signIn;
    if (signIn.outcome !== 'ok') continue;
    if (changes.some((op) => op.email === email && op.from === password && isDoneBefore(op, signIn.start)))
      broken.push(`${email} signed in with a replaced password`);
  }
  const byPassword = new Map<string, number>();
  for (const { email, from, outcome } of changes) {
    if (outcome !== 'ok') continue;
    const name = `${email} ${from}`;
    byPassword.set(name, (byPassword.get(name) ?? 0) + 1);
  }
  for (const [name, times] of byPassword)
    if (times > 1) broken.push(`a password was replaced ${times} times by different ones: ${name}`);
  return broken;
}

/** In 15 minutes, no more than 10 wrong passwords of one account are checked. */
function guesses({ history }: Evidence): readonly string[] {
  const broken: string[] = [];
  const byEmail = new Map<string, number>();
  for (const { email, code, endedAt } of ofKind(history, 'guess'))
    if (code === 'wrong-credentials' && endedAt < LINK_LIFETIME_MS)
      byEmail.set(email, (byEmail.get(email) ?? 0) + 1);
  for (const [email, times] of byEmail)
    if (times > 10) broken.push(`${times} wrong passwords of ${email} were checked`);
  return broken;
}

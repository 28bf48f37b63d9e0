import { Refusal, type TriedSignOn } from '@rollcall/core';
import { rawQuery } from '../../raw-query.js';
import { clientOf, startSession } from '../account/start-session.js';
import { shortened } from '../design/notice.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import { canonicalId, type Visit } from '../visit.js';
import { forget, keep, kept, type ShownTrial } from './kept-sign-on.js';
import { rememberOrganization } from './last-organization.js';

/** Where the identity provider sends people back. What it says is in the address, so this always leads on. */
export const finishSignOn: Page = {
  path: paths.signOnCallback(':id'),
  async get(visit) {
    const { core, request } = visit;
    const organizationId = canonicalId(request.params.id);
    const begun = kept(visit, organizationId, 'begun');
    if (begun === null) throw unknownAnswer(visit);
    const { started, next } = begun;
    const returned = { organizationId, started, query: rawQuery(request.url), ...clientOf(visit) };
    if (started.triedBy !== null) return finishTrial(visit, returned);
    const finished = await core.finishSignOn(returned);
    if (finished.kind === 'confirm') {
      const { confirmation, member } = finished;
      const what = { confirmation, email: member.user.email, next };
      keep(visit, organizationId, { as: 'confirmation', what });
      return visit.leadTo(paths.confirmSignOn(organizationId));
    }
    forget(visit);
    await startSession(visit, finished.session);
    rememberOrganization(visit, organizationId);
    visit.leadTo(next ?? paths.memberships);
  },
};

/** The answer to no sign-on of this browser. What it says is only shown. */
function unknownAnswer({ request }: Visit): Refusal {
  const { error } = request.query;
  if (typeof error !== 'string' || !/^[\w.-]{1,60}$/.test(error))
    return new Refusal('sign-on-ended', 'No sign-on has begun in this browser');
  return new Refusal('sign-on-refused', `The identity provider of the organization refused (${error})`);
}

/** Ends a sign-on that an owner only tries. */
async function finishTrial(
  visit: Visit,
  returned: Parameters<Visit['core']['finishSignOn']>[0],
): Promise<void> {
  const { core } = visit;
  const { organizationId } = returned;
  const session = await visit.findSession();
  if (session === null) throw new Refusal('sign-on-ended', 'The owner has signed out');
  await core.authorizeMember({ session, organizationId, role: 'owner', isForSetup: true });
  const userId = session.user.id;
  const isByOthers = session.startedBy === 'setup-link';
  const tried = await core.trySignOn({ ...returned, userId, isByOthers });
  keep(visit, organizationId, { as: 'trial', what: { userId, ...shownTrial(tried) } });
  visit.leadTo(paths.triedSignOn(organizationId));
}

const MAX_VALUE_CHARACTERS = 200;
const MAX_CLAIMS_BYTES = 2000;

function shownTrial(tried: TriedSignOn): ShownTrial {
  if (!tried.hasPassed)
    return { hasPassed: false, comesIn: false, outcome: tried.reason, claims: [], left: 0 };
  const claims: [string, string][] = [];
  const all = Object.entries(tried.claims);
  let bytes = 0;
  for (const [name, value] of all) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const claim: [string, string] = [
      name.slice(0, MAX_VALUE_CHARACTERS),
      shortened(text, MAX_VALUE_CHARACTERS),
    ];
    bytes += Buffer.byteLength(JSON.stringify(claim));
    if (bytes > MAX_CLAIMS_BYTES) break;
    claims.push(claim);
  }
  const comesIn = tried.would !== 'refuse';
  return { hasPassed: true, comesIn, outcome: outcomeOf(tried), claims, left: all.length - claims.length };
}

function outcomeOf({ would, email, reason }: Extract<TriedSignOn, { readonly hasPassed: true }>): string {
  if (would === 'refuse') return `Nobody would be signed in: ${reason}.`;
  if (would === 'register')
    return 'This person would become a member. If they have an account already, they need an invitation instead.';
  const who = email ?? 'A member';
  const how = {
    'sign-in': 'would be signed in.',
    link: 'would be linked to this person, and signed in.',
    confirm: 'would be asked to confirm once that this is them, and then signed in.',
  };
  return `${who} ${how[would]}`;
}

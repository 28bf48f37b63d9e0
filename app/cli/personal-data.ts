import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { Core, PersonalMeeting, PersonalRecord, PersonKey, RecordedDelivery } from '@rollcall/core';
import { compact } from '@rollcall/sql/maintenance';
import { Failure } from '../failure.js';
import { isTerminal, print, printJson, say } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { counted } from './count-text.js';
import { commandLine, withCore } from './with-core.js';

interface Named {
  readonly email?: string;
  readonly uuid?: string;
}

export async function userDataCommand({
  output,
  ...named
}: Named & { readonly output?: string; readonly json?: boolean }): Promise<void> {
  const person = keyOf(named);
  await withCore(async ({ core }) => {
    const document = `${JSON.stringify(toDocument(await core.readUserData(person)), null, 2)}\n`;
    if (output === undefined) return void process.stdout.write(document);
    try {
      writeFileSync(output, document, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      throw new Failure(`${output} cannot be written: ${(error as Error).message}`);
    }
    say(`Wrote ${output}`);
  });
}

export async function eraseUserCommand(
  options: Named & {
    readonly yes?: boolean;
    readonly force?: boolean;
    readonly dryRun?: boolean;
    readonly json?: boolean;
  },
): Promise<void> {
  const { yes = false, force = false, dryRun = false, json = false } = options;
  const person = keyOf(options);
  if (!yes && !dryRun && !isTerminal.stdin()) throw new UsageError('Without a terminal, --yes is required.');
  await withCore(async ({ core, database }) => {
    const record = await core.readUserData(person);
    const ownerless = record.memberships.filter(({ isOnlyOwner }) => isOnlyOwner);
    const document = {
      dry_run: dryRun,
      email: record.emails[0],
      counts: countsOf(record),
      organizations: record.organizations.map(({ id }) => id),
      without_owner: ownerless.map(({ organizationId }) => organizationId),
    };
    if (!json) describe(document);
    if (!dryRun) {
      if (!yes) await confirm();
      await erase(core, person, force);
      const problem = await compact(database);
      if (problem !== null) say(notCompacted[problem]);
      if (!json) say('Erased.');
    }
    if (json) printJson(document);
  });
}

export const notCompacted = {
  busy: 'Others are reading the database, so traces of the person are still in its log. Run: rollcall prune --compact',
  pooled:
    'Through a pooler, the tables cannot be vacuumed. PostgreSQL removes what is left by itself, or run VACUUM.',
} as const;

async function erase(core: Core, person: PersonKey, force: boolean): Promise<void> {
  const { withoutOwner } = await core.eraseUser({ ...person, force, by: commandLine });
  for (const id of withoutOwner) say(`Organization ${id} has no owner any more.`);
}

function keyOf({ email, uuid }: Named): PersonKey {
  if (email !== undefined) return { email };
  if (uuid !== undefined) return { uuid };
  throw new UsageError('--email or --uuid is required.');
}

function describe({
  dry_run: dryRun,
  email,
  counts,
  without_owner: ownerless,
}: {
  readonly dry_run: boolean;
  readonly email: string | undefined;
  readonly counts: Counts;
  readonly without_owner: readonly number[];
}): void {
  say(`${dryRun ? 'Would erase' : 'Erases'} ${email}:`);
  for (const [what, count] of Object.entries(counts))
    print(`${what.replaceAll('_', ' ').padEnd(18)} ${String(count).padStart(9)}`);
  if (ownerless.length > 0)
    say(`The last owner of ${counted(ownerless.length, 'organization')}: ${ownerless.join(', ')}`);
}

async function confirm(): Promise<void> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await prompt.question('This cannot be undone. Type yes to erase: ');
    if (answer.trim().toLowerCase() !== 'yes') throw new Failure('Nothing was erased.');
  } finally {
    prompt.close();
  }
}

type Counts = Readonly<Record<string, number>>;

function countsOf(record: PersonalRecord): Counts {
  return {
    accounts: record.account === null ? 0 : 1,
    memberships: record.memberships.length,
    invitations: record.invitations.length,
    sessions: record.sessions.length,
    login_links: record.loginLinks.length,
    calendar_feeds: record.calendarFeeds.length,
    registrations: record.registrations.length,
    waitlist_entries: record.waitingPlaces.length,
    led_meetings: record.ledMeetings.length,
    audit_entries: record.auditEntries.length,
    events: record.events.length,
    deliveries: record.deliveries.length,
  };
}

/** The document of `user data`, described in contracts/operating.md. */
export function toDocument(record: PersonalRecord) {
  const { account } = record;
  const of = (organizationId: number | null) =>
    record.organizations.find(({ id }) => id === organizationId) ??
    (organizationId === null ? null : { id: organizationId, name: null });
  const meetingOf = ({ id, organizationId, name, startTime }: PersonalMeeting) => ({
    ...{ id, name, start_time: startTime, organization: of(organizationId) },
  });
  return {
    account: account && {
      ...{ id: account.id, uuid: account.uuid, email: account.email },
      ...{ first_name: account.firstName, last_name: account.lastName, avatar: account.avatar },
      ...{ created_at: account.createdAt, has_password: account.hasPassword },
    },
    emails: record.emails,
    memberships: record.memberships.map(({ organizationId, uuid, role, idpId, joinedAt }) => ({
      ...{ organization: of(organizationId), uuid, role, idp_id: idpId, joined_at: joinedAt },
    })),
    invitations: record.invitations.map((invitation) => ({
      ...{ organization: of(invitation.organizationId), uuid: invitation.userUuid, email: invitation.email },
      ...{ first_name: invitation.firstName, last_name: invitation.lastName, idp_id: invitation.idpId },
      ...{ created_at: invitation.createdAt, accepted_at: invitation.acceptedAt },
      revoked_at: invitation.revokedAt,
    })),
    sent_invitations: record.sentInvitations,
    sessions: record.sessions.map(({ boundTo, createdAt, seenAt }) => ({
      ...{ organization: of(boundTo), created_at: createdAt, seen_at: seenAt },
    })),
    login_links: record.loginLinks.map(({ organizationId, createdAt, expiresAt, redeemedAt }) => ({
      ...{ organization: of(organizationId), created_at: createdAt },
      ...{ expires_at: expiresAt, redeemed_at: redeemedAt },
    })),
    calendar_feeds: record.calendarFeeds.map(({ organizationId, createdAt }) => ({
      ...{ organization: of(organizationId), created_at: createdAt },
    })),
    registrations: record.registrations.map(({ meeting, registeredAt }) => ({
      ...{ meeting: meetingOf(meeting), registered_at: registeredAt },
    })),
    waitlist_entries: record.waitingPlaces.map(({ meeting, status, createdAt }) => ({
      ...{ meeting: meetingOf(meeting), status, created_at: createdAt },
    })),
    led_meetings: record.ledMeetings.map(meetingOf),
    audit_entries: record.auditEntries.map(({ organizationId, at, action, subject, isActor, from }) => ({
      ...{ organization: of(organizationId), at, action, subject, by_this_person: isActor, from },
    })),
    events: record.events.map(({ id, name, organizationId, createdAt, body }) => ({
      ...{ event_id: id, event: name, organization: of(organizationId), created_at: createdAt, body },
    })),
    deliveries: record.deliveries.map((delivery) => deliveryDocument(delivery, of)),
  };
}

function deliveryDocument(delivery: RecordedDelivery, of: (organizationId: number) => object | null) {
  return {
    ...{ id: delivery.id, event_id: delivery.eventId, organization: of(delivery.organizationId) },
    ...{ state: delivery.state, created_at: delivery.createdAt, finished_at: delivery.finishedAt },
    body: delivery.body,
    attempts: delivery.attempts.map(({ startedAt, outcome, status, reason, request, response }) => ({
      ...{ started_at: startedAt, outcome, status, reason, request, response },
    })),
  };
}

import { writeFileSync } from 'node:fs';
import type { Core, PersonalRecord, PersonKey } from '@rollcall/core';
import { compact } from '@rollcall/sql/maintenance';
import { Failure } from '../failure.js';
import { personalDocument } from '../personal-document.js';
import { printJson, say } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { confirm, printCounts, type RemovalOptions, requireAnswerer } from './confirm.js';
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
    const document = `${JSON.stringify(personalDocument(await core.readUserData(person)), null, 2)}\n`;
    if (output === undefined) return void process.stdout.write(document);
    try {
      writeFileSync(output, document, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new Failure(`${output} already exists: choose another file, or remove it`);
      throw new Failure(`${output} cannot be written: ${message}`);
    }
    say(`Wrote ${output}`);
  });
}

export async function eraseUserCommand(
  options: Named & RemovalOptions & { readonly force?: boolean },
): Promise<void> {
  const { yes = false, force = false, dryRun = false, json = false } = options;
  const person = keyOf(options);
  requireAnswerer(options);
  await withCore(async ({ core, database }) => {
    const record = await core.readUserData(person);
    const document = { dry_run: dryRun, ...summaryOf(record) };
    if (!json) describe(document);
    if (!dryRun) {
      if (!yes) await confirm('erase', 'erased');
      await erase(core, person, force);
      const problem = await compact(database);
      if (problem !== null) say(notCompacted[problem]);
      if (!json) say('Erased.');
    }
    if (json) printJson(document);
  });
}

export const notCompacted = {
  busy: 'Others are reading the database, so traces of what was removed are still in its log. Run: rollcall prune --compact',
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

function summaryOf(record: PersonalRecord) {
  const ownerless = record.memberships.filter(({ isOnlyOwner }) => isOnlyOwner);
  return {
    email: record.emails[0],
    counts: countsOf(record),
    organizations: record.organizations.map(({ id }) => id),
    without_owner: ownerless.map(({ organizationId }) => organizationId),
  };
}

type Summary = ReturnType<typeof summaryOf> & { readonly dry_run: boolean };

function describe({ dry_run: dryRun, email, counts, without_owner: ownerless }: Summary): void {
  say(`${dryRun ? 'Would erase' : 'Erases'} ${email}:`);
  printCounts(counts);
  if (ownerless.length > 0)
    say(`The last owner of ${counted(ownerless.length, 'organization')}: ${ownerless.join(', ')}`);
}

function countsOf(record: PersonalRecord): Readonly<Record<string, number>> {
  return {
    accounts: record.account === null ? 0 : 1,
    memberships: record.memberships.length,
    invitations: record.invitations.length,
    sessions: record.sessions.length,
    identities: record.identities.length,
    directory_entries: record.directoryEntries.length,
    login_links: record.loginLinks.length,
    mails: record.mails.length,
    calendar_feeds: record.calendarFeeds.length,
    registrations: record.registrations.length,
    waitlist_entries: record.waitingPlaces.length,
    led_meetings: record.ledMeetings.length,
    audit_entries: record.auditEntries.length,
    events: record.events.length,
    deliveries: record.deliveries.length,
  };
}

import type { Acting } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { AuditAction, NewAuditEntry } from '../../access/ports/audit-trail.js';
import type { JournalEntry } from '../../access/ports/journal.js';
import type { Uses } from '../../deps.js';
import type { NewEvent } from '../../webhooks/events.js';
import { tellOf } from '../../webhooks/membership-events.js';
import { emailChangeSubject } from '../email-change.js';
import { invitationEntries } from '../invitations/invitation-entries.js';
import type { DirectoryChange } from '../ports/directory.js';
import type { Member } from '../ports/members.js';

/**
 * What a write of the directory leaves in the audit trail, and its events: a new membership makes those of every
 * registration, one that ends for good those of every end. To deactivate and to reactivate makes none.
 */
export function directoryJournal(
  { ids }: Uses<'ids.uuid'>,
  { by, at }: Acting & { readonly at: Date },
  change: DirectoryChange,
): { readonly journal: readonly JournalEntry[]; readonly events: readonly NewEvent[] } {
  const { organization, person, registered, ended, invited, revoked, signedOut } = change;
  const entry = (action: AuditAction, subject: string, about: Member | null): readonly NewAuditEntry[] =>
    auditEntries(
      { by, at },
      { organizationId: organization.id, action, subject, aboutUserId: about?.user.id },
    );
  const isRemoved = person === null;
  const restored = registered === null && change.before?.member === null ? (person?.member ?? null) : null;
  const facts = (member: Member | null) => (member === null ? [] : [{ organization, member }]);
  const events = [
    ...tellOf('registered', { facts: facts(registered), at, ids }),
    ...tellOf('ended', { facts: isRemoved ? facts(ended) : [], at, ids }),
  ];
  return {
    events,
    journal: [
      ...(registered === null
        ? []
        : entry('member-added', `${registered.user.email}: ${registered.role}`, registered)),
      ...(restored === null ? [] : entry('member-reactivated', restored.user.email, restored)),
      ...(ended === null
        ? []
        : entry(isRemoved ? 'member-removed' : 'member-deactivated', ended.user.email, null)),
      ...(signedOut === null ? [] : entry('member-signed-out', signedOut.user.email, signedOut)),
      ...(invited === null ? [] : invitationEntries({ by, at }, 'user-invited', invited)),
      ...(revoked === null ? [] : invitationEntries({ by, at }, 'invitation-revoked', revoked)),
      ...idpIdEntries(change, entry),
      ...accountEntries(change, entry),
      ...events,
    ],
  };
}

type MakeEntry = (action: AuditAction, subject: string, about: Member | null) => readonly NewAuditEntry[];

function idpIdEntries({ before, person }: DirectoryChange, entry: MakeEntry): readonly NewAuditEntry[] {
  const [from, to] = [before?.member, person?.member];
  if (!from || !to || from.idpId === to.idpId) return [];
  return entry('idp-id-set', `${to.user.email}: ${from.idpId ?? 'none'} → ${to.idpId ?? 'none'}`, to);
}

function accountEntries({ account, person }: DirectoryChange, entry: MakeEntry): readonly NewAuditEntry[] {
  if (account === null || !person?.member) return [];
  const { before, after } = account;
  const name = ({ firstName, lastName }: typeof after): string => `${firstName} ${lastName}`;
  const emails = { from: before.email, to: after.email };
  return [
    ...(emails.from === emails.to ? [] : entry('email-changed', emailChangeSubject(emails), person.member)),
    ...(name(before) === name(after)
      ? []
      : entry('name-changed', `${after.email}: ${name(before)} → ${name(after)}`, person.member)),
  ];
}

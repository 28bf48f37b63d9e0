import type { Actor } from '../../access/ports/audit-trail.js';
import type { Journal } from '../../access/ports/journal.js';
import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';
import type { NewEvent } from '../../webhooks/events.js';
import { invitationMail, withMailCounted } from '../invitations/invitation-mail.js';
import type {
  DirectoryChange,
  DirectoryPerson,
  NewDirectoryIds,
  NotEnded,
  NotWritten,
} from '../ports/directory.js';
import type { Invitation } from '../ports/invitations.js';
import { directoryJournal } from './directory-journal.js';
import { notWritten } from './entry.js';

/** The directory as an actor. */
function directoryActor(from: string): Actor {
  return { who: { kind: 'directory' }, from: readAddress(from) };
}

/** What every write is given. */
export interface Write {
  readonly at: Date;
  readonly ids: NewDirectoryIds;
  readonly journal: Journal<DirectoryChange>;
}

/**
 * Runs a write of the directory: its journal is stored with it, its events are sent, and a person whom it invites gets a
 * mail, if the service sends mail and not too many were sent.
 */
export async function writePerson(
  deps: Uses<
    | 'clock.now'
    | 'dispatcher.wake'
    | 'ids.uuid'
    | 'invitations.revokeExpired'
    | 'secrets.keyId'
    | typeof mailTo
  >,
  { organizationId, from }: { readonly organizationId: number; readonly from: string },
  write: (request: Write) => Promise<DirectoryPerson | NotWritten | NotEnded>,
): Promise<DirectoryPerson> {
  const { clock, ids, invitations, dispatcher, secrets } = deps;
  const at = clock.now();
  await invitations.revokeExpired({ organizationId, at });
  let events: readonly NewEvent[] = [];
  let invited: Invitation | null = null;
  const written = await write({
    at,
    ids: { uuid: ids.uuid(), invitationId: ids.uuid(), keyId: secrets.keyId, retiredUuid: ids.uuid() },
    journal(change) {
      const stored = directoryJournal(deps, { by: directoryActor(from), at }, change);
      events = stored.events;
      invited = change.invited;
      return stored.journal;
    },
  });
  if (typeof written === 'string') throw notWritten(written);
  if (events.length > 0) dispatcher.wake(events);
  if (invited !== null) await mailTo(deps, invited, at);
  return written;
}

async function mailTo(
  deps: Uses<'mails.add' | typeof withMailCounted>,
  invitation: Invitation,
  at: Date,
): Promise<void> {
  const { organizationId, email } = invitation;
  await withMailCounted(deps, { organizationId, email }, async (isMailed) => {
    if (isMailed) await deps.mails.add(invitationMail(invitation, at));
  });
}

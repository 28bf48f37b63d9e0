import type { Acting } from '../access/acting.js';
import { auditEntries } from '../access/audit-entries.js';
import type { Uses } from '../deps.js';
import type { NewEvent } from '../webhooks/events.js';
import { tellOf } from '../webhooks/membership-events.js';
import type { ErasedPerson, ErasePerson, NotErased } from './ports/personal-data.js';

/** Erases a person, and tells every organization that had something about them. `eraseUser` and `eraseMember` share it. */
export async function erasePerson(
  {
    personalData,
    dispatcher,
    ids,
    clock,
  }: Uses<'clock.now' | 'dispatcher.wake' | 'ids.uuid' | 'personalData.erase'>,
  { by, ...request }: Omit<ErasePerson, 'at'> & Acting,
): Promise<ErasedPerson | NotErased> {
  const at = clock.now();
  let events: readonly NewEvent[] = [];
  const erased = await personalData.erase({ ...request, at }, ({ organizationIds, ended }) => {
    events = tellOf('ended', { facts: ended, ids, at });
    const entries = organizationIds.flatMap((organizationId) =>
      auditEntries({ by, at }, { organizationId, action: 'user-erased', subject: null }),
    );
    return [...entries, ...events];
  });
  if (events.length > 0) dispatcher.wake(events);
  return erased;
}

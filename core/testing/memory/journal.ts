import type { JournalEntry } from '../../access/ports/journal.js';
import { CallLost } from '../../errors.js';
import { addEntry } from './audit-trail.js';
import { keepAnswer } from './idempotency-keys.js';
import { addMail } from './mails.js';
import type { State } from './state.js';
import { storeEvent } from './store-event.js';

/** Makes a change and stores its journal. Throws `CallLost` before anything is changed. */
export function writeJournal(
  state: State,
  journal: readonly JournalEntry[] = [],
  change: () => unknown = () => {},
): void {
  for (const entry of journal)
    if ('encryptedAnswer' in entry && !keepAnswer(state, entry)) throw new CallLost();
  change();
  for (const entry of journal)
    if ('action' in entry) addEntry(state, entry);
    else if ('kind' in entry) addMail(state, entry);
    else if ('body' in entry) storeEvent(state, entry);
}

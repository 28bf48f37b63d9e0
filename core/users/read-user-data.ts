import type { Uses } from '../deps.js';
import { noSuchPerson } from './person.js';
import { personKeys } from './personal-data.js';
import type { PersonalRecord, PersonKey } from './ports/personal-data.js';

/** The request of `readUserData`: an address in any case, or a UUID. */
export type ReadUserData = PersonKey;

/**
 * Reads everything that is stored about a person, to hand it out. The person may have no account, only invitations. For
 * the operator, because the data come from every organization.
 *
 * @throws `Refusal`: `user-not-found` if nothing is stored about such a person.
 */
export async function readUserData(
  { personalData }: Uses<'personalData.read'>,
  request: ReadUserData,
): Promise<PersonalRecord> {
  for (const person of personKeys(request)) {
    const record = await personalData.read(person);
    if (record !== null) return record;
  }
  throw noSuchPerson(request);
}

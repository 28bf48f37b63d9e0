import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { mayBeId } from '../values/ids.js';
import { refuseAny } from '../values/problems.js';
import { textProblem } from '../values/text.js';
import { type Acting, checkActor } from './acting.js';
import { auditEntries } from './audit-entries.js';
import type { OfOrganization } from './of-organization.js';
import { noSuchOrganization } from './organization-not-found.js';

/** The request of `nameAccessKey`. */
export interface NameAccessKey extends OfOrganization, Acting {
  /** One line of at most 60 characters; null: the key has no name. */
  readonly name: string | null;
  /** The `accessKeyGeneration` of the key that the caller has seen. */
  readonly generation: number;
}

/**
 * Names the current access key, for the people who manage it. A key that replaces it has the same name. The name that it
 * already has changes nothing.
 *
 * @throws `Refusal`: `invalid-request` if the name is not one line of at most 60 characters, `organization-not-found`;
 * `access-key-outdated` if the current key is another one.
 */
export async function nameAccessKey(
  { organizations, clock }: Uses<'clock.now' | 'organizations.nameAccessKey'>,
  { organization: { id: organizationId }, name, generation, by }: NameAccessKey,
): Promise<void> {
  checkActor(by);
  if (!mayBeId('organization.id', organizationId)) throw noSuchOrganization(organizationId);
  refuseAny([name === null ? null : textProblem('name', name, { maxCharacters: 60 })]);
  const at = clock.now();
  const isNamed = await organizations.nameAccessKey({ organizationId, generation, name }, ({ before }) => {
    const subject = `${before ?? 'no name'} → ${name ?? 'no name'}`;
    return auditEntries({ by, at }, { organizationId, action: 'access-key-named', subject });
  });
  if (!isNamed)
    throw new Refusal('access-key-outdated', 'There is another access key by now; nothing was changed');
}

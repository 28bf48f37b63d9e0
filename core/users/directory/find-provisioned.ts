import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { checkId, isUuid } from '../../values/ids.js';
import { isStorable } from '../../values/text.js';
import type { DirectoryPerson } from '../ports/directory.js';

/** The request of `findProvisioned`. */
export interface FindProvisioned extends OfOrganization {
  /** What the person is known by; `id`: the UUID, in any case. */
  readonly attribute: 'id' | 'userName' | 'externalId' | 'emails';
  /** Its value. Any text. */
  readonly value: string;
}

/**
 * Finds a person of an organization's directory; null: there is none.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function findProvisioned(
  {
    directory,
  }: Uses<'directory.byEmail' | 'directory.byExternalId' | 'directory.byUserName' | 'directory.byUuid'>,
  { organization, attribute, value }: FindProvisioned,
): Promise<DirectoryPerson | null> {
  const organizationId = checkId('organization.id', organization.id);
  if (!isStorable(value)) return null;
  if (attribute === 'userName') return directory.byUserName({ organizationId, userName: value });
  if (attribute === 'externalId') return directory.byExternalId({ organizationId, externalId: value.trim() });
  if (attribute === 'emails') return directory.byEmail({ organizationId, email: value });
  return isUuid(value) ? directory.byUuid({ organizationId, uuid: value.toLowerCase() }) : null;
}

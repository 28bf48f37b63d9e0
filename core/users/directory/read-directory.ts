import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { checkId } from '../../values/ids.js';
import type { DirectoryCounts, DirectoryEntry, DirectoryKey, DirectoryRequest } from '../ports/directory.js';
import type { DirectoryToken } from '../ports/directory-tokens.js';
import { isWorking, maxDirectoryRequests } from './directory.js';

const MAX_INACTIVE = 200;

/** The request of `readDirectory`. */
export type ReadDirectory = OfOrganization;

/** The directory of an organization as its owners see it. */
export interface DirectoryView {
  /** The tokens that work, the current one first. None: the directory is off. */
  readonly tokens: readonly Omit<DirectoryToken, 'hash' | 'organizationId'>[];
  /** How many people it has. */
  readonly counts: DirectoryCounts;
  /** People who are inactive, and no members, by `userName`; at most 200. */
  readonly inactive: readonly Omit<DirectoryEntry & DirectoryKey, 'organizationId'>[];
  /** Its latest requests, the newest first. */
  readonly requests: readonly Omit<DirectoryRequest, 'organizationId'>[];
}

/**
 * Reads the directory of an organization, with its latest requests.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function readDirectory(
  {
    directory,
    directoryTokens,
    clock,
  }: Uses<
    'clock.now' | 'directory.counts' | 'directory.listInactive' | 'directory.requests' | 'directoryTokens.of'
  >,
  { organization }: ReadDirectory,
): Promise<DirectoryView> {
  const organizationId = checkId('organization.id', organization.id);
  const [tokens, counts, inactive, requests] = await Promise.all([
    directoryTokens.of(organizationId),
    directory.counts(organizationId),
    directory.listInactive({ organizationId, limit: MAX_INACTIVE }),
    directory.requests({ organizationId, limit: maxDirectoryRequests }),
  ]);
  const at = clock.now();
  return {
    tokens: tokens
      .filter((token) => isWorking(token, at))
      .map(({ createdAt, usedAt, endsAt }) => ({ createdAt, usedAt, endsAt })),
    counts,
    inactive: inactive.map(({ organizationId: _, ...person }) => person),
    requests: requests.map(({ organizationId: _, ...request }) => request),
  };
}

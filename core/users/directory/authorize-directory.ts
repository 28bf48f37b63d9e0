import type { Limit } from '../../access/ports/limits.js';
import type { Organization } from '../../access/ports/organizations.js';
import { wrongKeys } from '../../access/wrong-keys.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { checkText } from '../../values/ids.js';
import type { DirectoryToken } from '../ports/directory-tokens.js';
import { isWorking } from './directory.js';

/** The request of `authorizeDirectory`. */
export interface AuthorizeDirectory {
  /** The bearer token, or null if there was none. */
  readonly token: string | null;
  /** The organization's id as it appears in the URL. */
  readonly organizationId: string;
  /** The IP address of the request; wrong tokens are counted for its network (see `networkOf`). */
  readonly address: string;
}

/** Providers send 25 a second during a first sync. */
const requests: Limit = { name: 'directory-requests', points: 500, seconds: 10 };

/** The last use of a token is stored at most once in this interval. */
const TOUCH_INTERVAL_MS = 60 * 1000;

/**
 * Returns the organization whose directory has the token, if its id in plain digits equals `organizationId` of the URL. A
 * wrong or ended token, that of another organization and an unknown organization are refused in the same way. Wrong tokens
 * are counted as wrong access keys are.
 *
 * @throws `Refusal`: `directory-unauthorized`; `too-many-requests` after too many wrong tokens from the network,
 * or more than 500 requests of the organization in ten seconds.
 */
export async function authorizeDirectory(
  deps: Uses<
    | 'clock.now'
    | 'directoryTokens.byHash'
    | 'directoryTokens.touch'
    | 'organizations.byId'
    | 'secrets.tokenHash'
    | typeof wrongKeys
  >,
  { token, organizationId, address }: AuthorizeDirectory,
): Promise<Organization> {
  checkText('organizationId', organizationId);
  const { directoryTokens, limits, organizations, secrets, clock } = deps;
  const wrong = wrongKeys(deps, { name: 'directory', address });
  await wrong.check();

  const hash = token === null ? null : secrets.tokenHash('directory', token);
  const known = hash === null ? null : await directoryTokens.byHash(hash);
  const at = clock.now();
  // Compared as text: `01` and `1.0` are not the organization's number.
  const isRight = known !== null && isWorking(known, at) && String(known.organizationId) === organizationId;
  const organization = isRight ? await organizations.byId(known.organizationId) : null;
  if (known === null || organization === null) {
    // A request without a token is no guess.
    if (token !== null) await wrong.count();
    throw new Refusal('directory-unauthorized', 'The token is missing, wrong or ended');
  }
  const seconds = await limits.consume(requests, String(organization.id));
  if (seconds > 0)
    throw new Refusal('too-many-requests', `Too many requests; try again in ${seconds} seconds`, seconds);
  recordUse(deps, known, at);
  return organization;
}

/** The caller does not wait. A failure is ignored, because the time of last use is only shown to people. */
function recordUse(
  { directoryTokens }: Uses<'directoryTokens.touch'>,
  { hash, usedAt }: DirectoryToken,
  at: Date,
): void {
  if (usedAt !== null && at.getTime() - usedAt.getTime() < TOUCH_INTERVAL_MS) return;
  directoryTokens.touch({ hash, at }).catch(() => {});
}

import type { Uses } from '../deps.js';
import { Refusal, refusal } from '../errors.js';
import { checkText } from '../values/ids.js';
import { isValidGeneration } from './key-generation.js';
import type { Organization } from './ports/organizations.js';

/** The request of `authorize`. */
export interface Authorize {
  /** The bearer token, or null if there was none. */
  readonly token: string | null;
  /** The organization's id as it appears in the URL. */
  readonly organizationId: string;
  /** Is told the organization of a token that this service has made, even if the call is refused. Left out: no one is. */
  readonly identified?: ((organizationId: number) => void) | undefined;
}

/**
 * Returns the organization of the token, if its id in plain digits equals `organizationId` of the URL.
 *
 * @throws `Refusal`: `unauthorized-access` if the token is missing, forged or expired, or its access key was replaced;
 * `not-authorized` if it belongs to another organization.
 */
export async function authorize(
  {
    organizations,
    tokens,
    clock,
    observer,
  }: Uses<'clock.now' | 'observer.olderKeyUsed' | 'organizations.byId' | 'tokens.read'>,
  { token, organizationId, identified }: Authorize,
): Promise<Organization> {
  checkText('organizationId', organizationId);
  const now = clock.now();
  const claims = token === null ? null : await tokens.read(token);
  if (claims !== null) identified?.(claims.organizationId);
  if (claims === null || claims.expiresAt <= now) throw unauthorized();

  const organization = await organizations.byId(claims.organizationId);
  if (organization === null || !isValidGeneration(organization, claims.generation, now)) throw unauthorized();

  // Compared as text: `01` and `1.0` are not the organization's number.
  if (String(organization.id) !== organizationId) throw new Refusal('not-authorized', 'Not Authorized');
  if (claims.generation !== organization.accessKeyGeneration)
    observer?.olderKeyUsed({ organizationId: organization.id, by: 'token' });
  return organization;
}

const unauthorized = refusal('unauthorized-access', 'Unauthorized Access');

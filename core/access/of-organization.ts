import type { Organization } from './ports/organizations.js';

/** A request about one organization. */
export interface OfOrganization {
  /**
   * The organization that `authorize` or `authorizeMember` returned. The use-case does not check again whether the caller
   * may act for it.
   */
  readonly organization: Pick<Organization, 'id'>;
}

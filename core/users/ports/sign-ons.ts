import type { Journal } from '../../access/ports/journal.js';
import type { MemberKey } from './members.js';

/** How people of one organization sign on: its identity provider, and what is asked of them. */
export interface SignOn {
  /** The organization whose identity provider it is. */
  readonly organizationId: number;
  /** The issuer of the provider, exactly as its tokens name it. */
  readonly issuer: string;
  /** The id under which the provider knows this service. */
  readonly clientId: string;
  /** The client secret as `Secrets.encrypt` encrypted it for this organization. */
  readonly encryptedSecret: string;
  /** The claim whose value is the member's `idpId`. */
  readonly idClaim: string;
  /** For an issuer that many organizations share, the value of the claim `hd` that is this organization. */
  readonly hostedDomain: string | null;
  /** Whether people who are not members yet become members when they sign on. */
  readonly admits: 'provisioned' | 'anyone';
  /** The authentication context (`acr`) that tokens must name; null: any. */
  readonly acr: string | null;
  /** Whether people can sign on. */
  readonly isOn: boolean;
  /** Whether a password opens the organization for owners only. */
  readonly isRequired: boolean;
  /** The day, such as `2027-01-31`, on which the client secret expires; null: not known. */
  readonly secretExpiresOn: string | null;
  /** The last trial that passed with these settings; null: none. */
  readonly tested: TestedSignOn | null;
  /** When the settings were last changed. A page can send it back as `unchangedSince`. */
  readonly changedAt: Date;
}

/** A trial that has passed. */
export interface TestedSignOn {
  /** The owner who tried it; null: the person was erased. */
  readonly by: number | null;
  /** When it passed. */
  readonly at: Date;
}

/** Settings as `decide` returns them, for the storage to keep. */
export type SignOnSettings = Omit<SignOn, 'organizationId'>;

/** What opens a membership. `any`: any session. `sign-on`: one that a password started only if the member is an owner. */
export type OpenedBy = 'any' | 'sign-on';

/** The identity providers, at most one for each organization. */
export interface SignOns {
  /** The settings of the organization; null: it has none. */
  of(organizationId: number): Promise<SignOn | null>;
  /**
   * Calls `decide` with the current settings (null: none yet) and stores the result. No other caller changes the settings
   * in between. If `decide` throws, nothing is stored and the error is passed on. Null, with nothing stored: there is no
   * such organization.
   *
   * In the same transaction, the sessions that sign-on started in the organization end if it is off afterwards or has
   * another issuer; with another issuer, the identities of its members end, too.
   */
  save(
    organizationId: number,
    decide: (current: SignOn | null) => SignOnSettings,
    journal?: Journal<SignOn>,
  ): Promise<SignOn | null>;
  /**
   * Removes the settings, the identities of the organization's members and the sessions that sign-on started in it, in one
   * transaction. Of several callers, one gets true; false: there were none.
   */
  remove(organizationId: number, journal?: Journal<SignOn>): Promise<boolean>;
  /**
   * What opens the membership: `sign-on` if it was made with `needsSignOn`, or while sign-on is on and required; otherwise
   * `any`, also for someone who is not a member.
   */
  opens(member: MemberKey): Promise<OpenedBy>;
}

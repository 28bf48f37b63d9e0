import type { MeetingFields } from './staged-kinds.js';

/**
 * A record of a dataset, ready to be stored: checked against `contracts/dataset.schema.json`, timestamps in one form
 * (`2026-11-20T18:00:00.000Z`), addresses trimmed and in lower case, the access key hashed, both `end_time` and
 * `duration` present. A missing field keeps its stored value, or takes its default when the record is new.
 */
export type DatasetRecord =
  | OrganizationRecord
  | UserRecord
  | MembershipRecord
  | MeetingRecord
  | RegistrationRecord
  | WaitlistEntryRecord;

export type OrganizationRecord =
  | { readonly kind: 'organization'; readonly deleted: true; readonly id: number }
  | {
      readonly kind: 'organization';
      readonly deleted?: false | undefined;
      readonly id: number;
      readonly name: string;
      readonly eap?: boolean | undefined;
      readonly time_zone?: string | null | undefined;
      readonly access_key_hash?: string | undefined;
    };

export type UserRecord =
  | { readonly kind: 'user'; readonly deleted: true; readonly id: number }
  | {
      readonly kind: 'user';
      readonly deleted?: false | undefined;
      readonly id: number;
      readonly uuid: string;
      readonly email: string;
      readonly first_name: string;
      readonly last_name: string;
      readonly avatar?: string | null | undefined;
      readonly created_at?: string | undefined;
    };

export type MembershipRecord =
  | {
      readonly kind: 'membership';
      readonly deleted: true;
      readonly organization_id: number;
      readonly user_id: number;
    }
  | {
      readonly kind: 'membership';
      readonly deleted?: false | undefined;
      readonly organization_id: number;
      readonly user_id: number;
      readonly role: 'owner' | 'admin' | 'member';
      readonly idp_id?: string | null | undefined;
      /** Whether a new membership is a registration, which makes an event. */
      readonly registered?: boolean | undefined;
    };

export type MeetingRecord =
  | { readonly kind: 'meeting'; readonly deleted: true; readonly id: number }
  | (Omit<MeetingFields, 'organization_id' | 'price'> & {
      readonly kind: 'meeting';
      readonly deleted?: false | undefined;
      readonly id: number;
      readonly organization_id: number | null;
      readonly eap_organization_ids?: readonly number[] | undefined;
      readonly price?: number | null | undefined;
    });

interface PlaceKey {
  readonly meeting_id: number;
  readonly user_id: number;
}

export type RegistrationRecord =
  | (PlaceKey & { readonly kind: 'registration'; readonly deleted: true })
  | (PlaceKey & {
      readonly kind: 'registration';
      readonly deleted?: false | undefined;
      readonly registered_at?: string | undefined;
    });

export type WaitlistEntryRecord =
  | (PlaceKey & { readonly kind: 'waitlist_entry'; readonly deleted: true })
  | (PlaceKey & {
      readonly kind: 'waitlist_entry';
      readonly deleted?: false | undefined;
      readonly status: 'waiting' | 'accepted' | 'rejected' | 'offered' | 'expired';
      readonly created_at?: string | undefined;
    });

/** A record and its line. */
export interface DatasetItem {
  readonly line: number;
  readonly record: DatasetRecord;
}

/** The dataset was not imported, and nothing of it was kept. The message is for people; it lacks the line and field. */
export class DatasetError extends Error {
  override readonly name = 'DatasetError';
  /** Null when no single record is to blame. */
  readonly line: number | null;
  readonly field: string | null;

  constructor(
    at: { readonly line: number | null; readonly field: string | null },
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.line = at.line;
    this.field = at.field;
  }
}

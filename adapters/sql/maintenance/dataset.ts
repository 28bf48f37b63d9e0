import type { DatasetKind, StoredFields } from './staged-kinds.js';

/**
 * A record of a dataset, ready to be stored: checked against `contracts/dataset.schema.json`, timestamps in one form
 * (`2026-11-20T18:00:00.000Z`), addresses trimmed and in lower case, the access key hashed, both `end_time` and
 * `duration` present. A missing field keeps its stored value, or takes its default when the record is new.
 */
export type DatasetRecord =
  | OrganizationRecord
  | RecordOf<'user', Id>
  | RecordOf<'membership', MembershipKey, MembershipFields>
  | RecordOf<'meeting', Id, MeetingFields>
  | RecordOf<'registration', PlaceKey>
  | RecordOf<'waitlist_entry', PlaceKey, WaitingFields>;

export type OrganizationRecord = RecordOf<'organization', Id>;

/** `Own`: the fields that are not as their columns are stored, or have none. */
type RecordOf<Kind extends DatasetKind, Key, Own = object> =
  | (Key & { readonly kind: Kind; readonly deleted: true })
  | (Key &
      Omit<StoredFields<Kind>, keyof Own> &
      Own & { readonly kind: Kind; readonly deleted?: false | undefined });

interface Id {
  readonly id: number;
}

interface MembershipKey {
  readonly organization_id: number;
  readonly user_id: number;
}

interface PlaceKey {
  readonly meeting_id: number;
  readonly user_id: number;
}

interface MembershipFields {
  readonly role: 'owner' | 'admin' | 'member';
  /** Whether a new membership is a registration, which makes an event. */
  readonly registered?: boolean | undefined;
}

interface MeetingFields {
  readonly organization_id: number | null;
  readonly eap_organization_ids?: readonly number[] | undefined;
  readonly price?: number | null | undefined;
}

interface WaitingFields {
  readonly status: 'waiting' | 'accepted' | 'rejected' | 'offered' | 'expired';
}

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

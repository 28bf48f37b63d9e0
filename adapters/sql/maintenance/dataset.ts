import type { DatasetKind, StoredFields } from './staged-kinds.js';

/**
 * A record of a dataset, ready to be stored: checked against `contracts/dataset.schema.json`, timestamps in one form
 * (`2026-11-20T18:00:00.000Z`), addresses trimmed and in lower case, the access key hashed, both `end_time` and
 * `duration` present. A missing field keeps its stored value, or takes its default when the record is new.
 */
export type DatasetRecord =
  | OrganizationRecord
  | RecordOf<'user', 'id'>
  | RecordOf<'membership', 'organization_id' | 'user_id', MembershipFields>
  | RecordOf<'meeting', 'id', MeetingFields>
  | RecordOf<'registration', 'meeting_id' | 'user_id'>
  | RecordOf<'waitlist_entry', 'meeting_id' | 'user_id', WaitingFields>;

export type OrganizationRecord = RecordOf<'organization', 'id'>;

/** `Key`: its fields. `Own`: the fields that are not as their columns are stored, or have none. */
type RecordOf<Kind extends DatasetKind, Key extends string, Own = object> = Readonly<Record<Key, number>> &
  (
    | { readonly kind: Kind; readonly deleted: true }
    | (Omit<StoredFields<Kind>, keyof Own> &
        Own & { readonly kind: Kind; readonly deleted?: false | undefined })
  );

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

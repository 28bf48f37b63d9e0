/** The core's names of the fields that a problem can be about. Each adapter translates them to its own names. */
export type Field =
  | 'acr'
  | 'active'
  | 'admits'
  | 'after'
  | 'by'
  | 'clientId'
  | 'clientSecret'
  | 'columns'
  | 'currentPassword'
  | 'displayName'
  | 'email'
  | 'emails'
  | 'endTime'
  | 'expiresInDays'
  | 'externalId'
  | 'familyName'
  | 'firstName'
  | 'givenName'
  | 'hostedDomain'
  | 'idClaim'
  | 'idempotencyKey'
  | 'idpId'
  | 'issuer'
  | 'keepOldForHours'
  | 'lastName'
  | 'name'
  | 'newPassword'
  | 'organization.id'
  | 'organizationId'
  | 'overlapHours'
  | 'password'
  | 'people'
  | 'regenerateSecret'
  | 'reportType'
  | 'reportingDays'
  | 'role'
  | 'search'
  | 'secondFactor'
  | 'secretExpiresOn'
  | 'startTime'
  | 'timeZone'
  | 'to'
  | 'updatedSince'
  | 'userName'
  | 'users'
  | 'webhook'
  | 'webhook.enabled'
  | 'webhook.events'
  | 'webhook.url';

/**
 * All problem codes, each with the separator between the name of the field and the message. A message continues the
 * name ("email must not be empty") or is a sentence about the field ("email: there is no user dana@example.com").
 */
const separators = {
  required: ' ',
  'required-when-enabled': ' ',
  'range-incomplete': ' ',
  empty: ' ',
  'wrong-type': ' ',
  'too-short': ' ',
  'too-long': ' ',
  'too-few': ' ',
  'too-many': ' ',
  malformed: ' ',
  'not-allowed': ' ',
  'without-rotation': ' ',
  'rotation-under-way': ' ',
  'too-common': ' ',
  guessable: ' ',
  'not-storable': ' ',
  credentials: ' ',
  duplicate: ' ',
  wrong: ' ',
  'taken-id': ' ',
  outdated: ' ',
  unknown: ': ',
  taken: ': ',
  'already-member': ': ',
} as const satisfies Readonly<Record<string, ' ' | ': '>>;

/**
 * What is wrong, for programs. The field and the code together identify a problem; the wording of messages may change.
 */
export type ProblemCode = keyof typeof separators;

/** One thing that is wrong with a request. */
export interface Problem {
  /** Null: it is about the request as a whole. */
  readonly field: Field | null;
  /** What is wrong with the field. */
  readonly code: ProblemCode;
  /** English for people, without the name of the field. */
  readonly message: string;
}

/** The problem as one sentence. `nameOf` translates the field to the name that the reader knows. */
export function problemText(
  { field, code, message }: Problem,
  nameOf: (field: Field) => string = (name) => name,
): string {
  return field === null ? message : `${nameOf(field)}${separators[code]}${message}`;
}

import type { Field, Problem, ProblemCode } from '@rollcall/core';
import { problemText } from '@rollcall/core/adapters';

/** The names of the core's fields in the API. A new field does not compile until it has a name here. */
const wireNames = {
  acr: 'acr',
  active: 'active',
  admits: 'admits',
  after: 'after',
  by: 'by',
  clientId: 'client_id',
  clientSecret: 'client_secret',
  columns: 'column',
  currentPassword: 'current_password',
  displayName: 'displayName',
  email: 'email',
  emails: 'emails',
  endTime: 'end_time',
  expiresInDays: 'expires_in_days',
  externalId: 'externalId',
  familyName: 'name.familyName',
  firstName: 'first_name',
  givenName: 'name.givenName',
  hostedDomain: 'hosted_domain',
  idClaim: 'id_claim',
  idempotencyKey: 'Idempotency-Key',
  idpId: 'idp_id',
  issuer: 'issuer',
  keepOldForHours: 'keep_old_for_hours',
  lastName: 'last_name',
  name: 'name',
  newPassword: 'new_password',
  'organization.id': 'organization.id',
  organizationId: 'organizationId',
  overlapHours: 'overlap_hours',
  password: 'password',
  people: 'people',
  regenerateSecret: 'regenerate_secret',
  reportType: 'report_type',
  reportingDays: 'reporting_days',
  role: 'role',
  search: 'search',
  secondFactor: 'second_factor',
  secretExpiresOn: 'secret_expires_on',
  startTime: 'start_time',
  timeZone: 'time_zone',
  to: 'to',
  updatedSince: 'updated_since',
  userName: 'userName',
  users: 'users',
  webhook: 'webhook',
  'webhook.enabled': 'webhook.enabled',
  'webhook.events': 'webhook.events',
  'webhook.url': 'webhook.url',
} as const satisfies Readonly<Record<Field, string>>;

/** The texts of problems that are about several parameters. */
const wholeRequest: Readonly<Partial<Record<ProblemCode, string>>> = {
  'range-incomplete': 'start_time and end_time are both required when reporting_days is custom',
};

/** The problem as one sentence for a client. */
export function wireText(problem: Problem): string {
  const ofWhole = problem.field === null ? wholeRequest[problem.code] : undefined;
  return ofWhole ?? problemText(problem, (field) => wireNames[field]);
}

const fields = new Map(Object.entries(wireNames).map(([field, name]) => [name as string, field as Field]));

/** The core's field with this name in the API; null: the core has none. */
export function fieldNamed(name: string): Field | null {
  return fields.get(name) ?? null;
}

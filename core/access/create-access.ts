import type { PortsOf } from '../deps.js';
import { readDeps } from '../read-deps.js';
import type { AccessOptions } from '../settings.js';
import { type AnswerOnce, answerOnce } from './answer-once.js';
import { type Authenticate, authenticate } from './authenticate.js';
import { type Authorize, authorize } from './authorize.js';
import { type AuthorizeMember, authorizeMember } from './authorize-member.js';
import { type CreateOrganization, createOrganization } from './create-organization.js';
import { type GenerateAccessKey, generateAccessKey } from './generate-access-key.js';
import { type HideFirstSteps, hideFirstSteps } from './hide-first-steps.js';
import { type ListActivity, listActivity } from './list-activity.js';
import { listOrganizations } from './list-organizations.js';
import { type ReadAccessKey, readAccessKey } from './read-access-key.js';
import { type ReadAnswer, readAnswer } from './read-answer.js';
import { type ReadFirstSteps, readFirstSteps } from './read-first-steps.js';
import { type RecordExport, recordExport } from './record-export.js';
import { type RenameOrganization, renameOrganization } from './rename-organization.js';
import { type SetTimeZone, setTimeZone } from './set-time-zone.js';

/** The ports and settings that the use-cases of this chapter need. */
export const accessNeeds = [
  'auditTrail.lastOf',
  'auditTrail.list',
  'auditTrail.record',
  'clock.now',
  'idempotencyKeys.abandon',
  'idempotencyKeys.begin',
  'idempotencyKeys.find',
  'idempotencyKeys.finish',
  'ids.uuid',
  'invitations.find',
  'limits.fail',
  'limits.waitFor',
  'mailer.send',
  'members.byUserId',
  'observer.olderKeyUsed',
  'organizations.accessKey',
  'organizations.byAccessKeyHash',
  'organizations.byId',
  'organizations.create',
  'organizations.list',
  'organizations.moveAccessKeyHash',
  'organizations.rename',
  'organizations.replaceAccessKey',
  'organizations.setTimeZone',
  'organizations.touchAccessKey',
  'secrets.accessKeyHashes',
  'secrets.decrypt',
  'secrets.encrypt',
  'secrets.newAccessKey',
  'securityLog.record',
  'settings.failedAuthenticateLimit',
  'tokens.issue',
  'tokens.read',
  'webhooks.of',
] as const;

/** The parts of the ports that `createAccess` needs. */
export type AccessPorts = PortsOf<(typeof accessNeeds)[number]>;
/** What `createAccess` returns. */
export type AccessUseCases = ReturnType<typeof createAccess>;

/**
 * Organizations, their access keys and tokens, and the activity log.
 *
 * @throws `TypeError` that names every port that is missing and every setting that is wrong.
 */
export function createAccess(ports: AccessPorts, options: AccessOptions = {}) {
  const deps = readDeps('createAccess', accessNeeds, { ports, options });
  return {
    /**
     * Exchanges an access key for a token that is valid for one day.
     *
     * @throws `Refusal`: `invalid-access-key` for every value that is not a current key, `too-many-requests` after too
     * many wrong keys from the network.
     */
    authenticate: (request: Authenticate) => authenticate(deps, request),
    /**
     * Returns the organization of the token, if its id in plain digits equals `organizationId` of the URL.
     *
     * @throws `Refusal`: `unauthorized-access` if the token is missing, forged or expired, or its access key was
     * replaced; `not-authorized` if it belongs to another organization.
     */
    authorize: (request: Authorize) => authorize(deps, request),
    /**
     * Gives the organization a new access key. The old one and its tokens stop working at once, or after
     * `keepOldForHours`.
     *
     * @throws `Refusal`: `invalid-request` if `keepOldForHours` is not a whole number from 0 to 168,
     * `organization-not-found`; `access-key-outdated` if the organization does not have the generation `replaces`.
     */
    generateAccessKey: (request: GenerateAccessKey) => generateAccessKey(deps, request),
    /**
     * Adds an organization without an access key.
     *
     * @throws `Refusal`: `invalid-request` if the name is not one line of at most 300 characters.
     */
    createOrganization: (request: CreateOrganization) => createOrganization(deps, request),
    /** Lists all organizations by id. */
    listOrganizations: () => listOrganizations(deps),
    /**
     * Checks that the session's user is a member of the organization with at least the given role.
     *
     * @throws `Refusal`: `session-bound` if the session may not do this, `organization-not-found`, `role-too-low`.
     * `TypeError` if `role` is not a role.
     */
    authorizeMember: (request: AuthorizeMember) => authorizeMember(deps, request),
    /**
     * Returns when the current access key was created and last used, to the minute, or null if there is no key.
     *
     * @throws `TypeError` if `organization.id` is not an id.
     */
    readAccessKey: (request: ReadAccessKey) => readAccessKey(deps, request),
    /**
     * Sets the time zone for the presets of exports.
     *
     * @throws `Refusal`: `invalid-request` if the runtime does not know the zone, or if the organization has neither
     * `replaces` nor already `timeZone`; `organization-not-found`.
     */
    setTimeZone: (request: SetTimeZone) => setTimeZone(deps, request),
    /**
     * Changes the name of an organization, everywhere where it is shown from now on.
     *
     * @throws `Refusal`: `invalid-request` if the name is not one line of at most 300 characters, or if the organization
     * has neither the name `replaces` nor already `name`; `organization-not-found`.
     */
    renameOrganization: (request: RenameOrganization) => renameOrganization(deps, request),
    /**
     * Lists who did what in the organization, newest first.
     *
     * @throws `TypeError` if `organization.id` is not an id.
     */
    listActivity: (request: ListActivity) => listActivity(deps, request),
    /**
     * Records in the audit trail that a person has downloaded an export or a list. Call it before the first bytes leave.
     * Exports of programs, which may be many a day, are not recorded.
     *
     * @throws `TypeError` if `organization.id` is not an id, or `form` or `list` is unknown.
     */
    recordExport: (request: RecordExport) => recordExport(deps, request),
    /**
     * Reads which of the first steps of a new organization are done, from what is stored.
     *
     * @throws `TypeError` if `organization.id` is not an id.
     */
    readFirstSteps: (request: ReadFirstSteps) => readFirstSteps(deps, request),
    /**
     * Hides the first steps from all owners of the organization, or shows them again. The audit trail is where this is
     * stored. Nothing is recorded if they are as requested already.
     *
     * @throws `TypeError` if `organization.id` is not an id.
     */
    hideFirstSteps: (request: HideFirstSteps) => hideFirstSteps(deps, request),
    /**
     * Does the work and returns its answer. The same request with the same key gets that answer for 24 hours, and the
     * work is not done again. If the work throws, nothing is kept. If a crash cuts it off, the work can be done again
     * after a minute.
     *
     * @throws `Refusal`: `invalid-request` if the key is not 1 to 255 printable ASCII characters,
     * `idempotency-key-reused` if it belongs to another request, `idempotency-key-in-use` while the work is being done, or
     * if another run has taken the call over, `too-many-requests` if 20,000 calls or answers of 16 MiB are kept for
     * the organization, `organization-not-found`. What `work` throws.
     */
    answerOnce: (request: AnswerOnce) => answerOnce(deps, request),
    /**
     * Returns the answer that `answerOnce` keeps for the call, or null if it keeps none: there was no such call, it has
     * not ended, it began more than 24 hours ago, or the secret key that encrypted it is no longer configured.
     *
     * @throws `Refusal`: `invalid-request` if the key is not 1 to 255 printable ASCII characters. `TypeError` if
     * `organization.id` is not an id.
     */
    readAnswer: (request: ReadAnswer) => readAnswer(deps, request),
  };
}

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { listTestFiles } from '../support/run/test-files.js';
import type { Mutation } from './loader.js';

/** One broken line for each rule. The program fails if no test notices a mutation. */
const mutations: readonly Mutation[] = [
  {
    file: 'access/authenticate.js',
    find: 'new Date(now.getTime() + tokenLifetimeMs)',
    replace: 'new Date(now.getTime() + 2 * tokenLifetimeMs)',
  },
  {
    file: 'access/authenticate.js',
    find: 'refuseAfter(await limits.fail(wrongKeys, network));',
    replace: '',
  },
  { file: 'access/access-key.js', find: '/^[0-9]{24}$/', replace: '/^[0-9]{24}/' },
  { file: 'access/authorize.js', find: 'claims.expiresAt <= now', replace: 'false' },
  {
    file: 'access/authorize.js',
    find: '!isValidGeneration(organization, claims.generation, now)',
    replace: 'false',
  },
  { file: 'access/key-generation.js', find: 'previousAccessKey.until > at', replace: 'true' },
  {
    file: 'access/generate-access-key.js',
    find: 'keepOldForHours === 0 ? undefined',
    replace: 'true ? undefined',
  },
  {
    file: 'access/authorize.js',
    find: 'String(organization.id) !== organizationId',
    replace: 'organization.id !== Number(organizationId)',
  },
  { file: 'users/invite-user.js', find: "=== 'already-member'", replace: "=== 'never'" },
  {
    file: 'users/accept-invitation.js',
    find: 'boundTo: null',
    replace: 'boundTo: organizationId',
  },
  { file: 'users/invitation.js', find: "if (state === 'accepted')", replace: "if (state === 'never')" },
  { file: 'users/issue-login-link.js', find: '+ loginLinkLifetimeMs', replace: '+ 2 * loginLinkLifetimeMs' },
  { file: 'users/issue-login-link.js', find: "!== 'pending'", replace: "=== 'pending'" },
  { file: 'users/issue-login-link.js', find: 'if (!isStored)', replace: 'if (false)' },
  { file: 'users/redeem-login-link.js', find: 'refusal: linkUnknown', replace: 'refusal: undefined' },
  { file: 'users/register-user.js', find: " && member !== 'unknown-user'", replace: '' },
  { file: 'users/add-member.js', find: "member === 'unknown-user'", replace: 'false' },
  { file: 'users/redeem-login-link.js', find: 'if (!isRedeemed)', replace: 'if (false)' },
  { file: 'users/redeem-login-link.js', find: 'boundTo: organizationId', replace: 'boundTo: null' },
  { file: 'users/session.js', find: 'idle < sessionIdleTimeMs', replace: 'true' },
  { file: 'users/create-session.js', find: 'if (!isCreated)', replace: 'if (false)' },
  { file: 'users/session.js', find: 'age < sessionLifetimeMs', replace: 'true' },
  { file: 'users/sign-out.js', find: 'await sessions.end(hash)', replace: 'await undefined' },
  { file: 'users/check-password.js', find: '|| !matches', replace: '' },
  {
    file: 'users/check-password.js',
    find: '{ limit: perAccount, subject: account },',
    replace: '',
  },
  { file: 'users/check-password.js', find: 'await attempt.takeBack();', replace: '' },
  { file: 'users/check-password.js', find: 'await attempt.takeBack().catch(() => { });', replace: '' },
  { file: 'users/check-password.js', find: 'subject: network', replace: 'subject: account' },
  { file: 'values/address.js', find: 'parsed.slice(0, 4), 0, 0, 0, 0', replace: 'parsed' },
  {
    file: 'users/register-user.js',
    find: "member !== 'account-exists' && ",
    replace: '',
  },
  {
    file: 'users/add-member.js',
    find: '() => null',
    replace: '() => ({ id: "x", name: "user.registered", organizationId, body: "", createdAt: clock.now() })',
  },
  { file: 'users/set-password.js', find: 'hash: await passwords.hash(password)', replace: "hash: 'x'" },
  { file: 'users/password.js', find: 'length < MIN_PASSWORD_CHARACTERS', replace: 'false' },
  { file: 'users/password.js', find: 'plain.includes(word)', replace: 'false' },
  { file: 'users/password.js', find: 'await commonPasswords.has(password)', replace: 'false' },
  { file: 'meetings/meeting.js', find: 'meeting.endTime > now', replace: 'meeting.endTime >= now' },
  { file: 'meetings/meeting.js', find: 'time < range.before', replace: 'time <= range.before' },
  { file: 'values/day.js', find: 'day.dayOfWeek - 1', replace: 'day.dayOfWeek % 7' },
  { file: 'meetings/reporting-range.js', find: 'end.getTime() + 1', replace: 'end.getTime()' },
  { file: 'meetings/reporting-range.js', find: "overflow: 'reject'", replace: "overflow: 'constrain'" },
  {
    file: 'meetings/reporting-range.js',
    find: 'one > other ? one : other',
    replace: 'one < other ? one : other',
  },
  {
    file: 'meetings/export-meetings.js',
    find: 'organization.timeZone ?? reportingTimeZone',
    replace: 'reportingTimeZone',
  },
  {
    file: 'meetings/export-meetings.js',
    find: 'withServiceMeetings: organization.eap',
    replace: 'withServiceMeetings: true',
  },
  { file: 'meetings/export-columns.js', find: '...new Set(keys)', replace: '...keys' },
  { file: 'meetings/export-meetings.js', find: "form === 'csv'", replace: 'false' },
  { file: 'meetings/preview-export.js', find: 'metadata?.totalCount ?? 0', replace: 'objects.length' },
  { file: 'meetings/merge-places.js', find: 'one.meetingId - other.meetingId', replace: '0' },
  {
    file: 'meetings/merge-places.js',
    find: 'places.get(meetingId)?.registeredAt ?? null',
    replace: 'null',
  },
  { file: 'meetings/duration.js', find: "number === 1 ? '' : 's'", replace: "'s'" },
  { file: 'webhooks/webhook.js', find: 'webhook?.enabled === true', replace: 'webhook !== null' },
  {
    file: 'webhooks/configure-webhook.js',
    find: "how === 'change' || input.enabled === false",
    replace: 'true',
  },
  { file: 'webhooks/webhook-problems.js', find: '!/^https:\\/\\//i.test(url)', replace: 'false' },
  {
    file: 'webhooks/configure-webhook.js',
    find: 'current === null || rotation.rotates',
    replace: 'current === null',
  },
  { file: 'webhooks/webhook.js', find: 'previousSecret.until > at', replace: 'true' },
  { file: 'webhooks/webhook-request.js', find: 'secret: old ?? current', replace: 'secret: current' },
  { file: 'webhooks/read-rotation.js', find: 'rotates === true && isUnderWay', replace: 'false' },
  {
    file: 'webhooks/finish-rotation.js',
    find: 'previousSecret: null',
    replace: 'previousSecret: webhook.previousSecret',
  },
  { file: 'webhooks/attempt-delivery.js', find: '!webhook.enabled', replace: 'false' },
  { file: 'webhooks/deliver-webhooks.js', find: 'maxClaims = 3', replace: 'maxClaims = 4' },
  {
    file: 'webhooks/webhook-request.js',
    find: 'sha256=\u0024{signature}',
    replace: 'sha1=\u0024{signature}',
  },
  { file: 'webhooks/redeliver.js', find: 'if (!isFound)', replace: 'if (false)' },
  {
    file: 'webhooks/redeliver.js',
    find: 'organizationId: organization === null ? null : organization.id',
    replace: 'organizationId: null',
  },
  {
    file: 'webhooks/list-deliveries.js',
    find: 'const organizationId = oneOrEvery(organization);',
    replace: 'const organizationId = null;',
  },
  { file: 'access/authorize-member.js', find: "|| role !== 'member'", replace: '' },
  {
    file: 'access/authorize-member.js',
    find: 'ranks.indexOf(member.role) < ranks.indexOf(role)',
    replace: 'false',
  },
  {
    file: 'access/read-access-key.js',
    find: "organizations.accessKey(checkId('organization.id', organization.id))",
    replace: 'null',
  },
  { file: 'access/authenticate.js', find: '< TOUCH_INTERVAL_MS', replace: '< 0' },
  {
    file: 'access/authenticate.js',
    find: 'generation, at }).catch(() => { })',
    replace: 'generation, at })',
  },
  { file: 'access/authenticate.js', find: 'from, to }).catch(() => { })', replace: 'from, to })' },
  { file: 'access/set-time-zone.js', find: 'checkTimeZone(requested)', replace: 'requested' },
  { file: 'access/list-activity.js', find: 'offset: pageOffset(page)', replace: 'offset: 0' },
  { file: 'access/generate-access-key.js', find: 'isFirst ?', replace: 'true ?' },
  {
    file: 'access/generate-access-key.js',
    find: 'at, replaces, keepOldUntil }',
    replace: 'at, keepOldUntil }',
  },
  { file: 'users/add-member.js', find: 'adders.includes(by.who.kind)', replace: 'true' },
  { file: 'access/answer-once.js', find: '{1,255}', replace: '{0,256}' },
  { file: 'access/answer-once.js', find: 'ago(CUT_OFF_MS)', replace: 'ago(0)' },
  { file: 'access/answer-once.js', find: 'ago(answerLifetimeMs)', replace: 'ago(CUT_OFF_MS)' },
  {
    file: 'access/answer-once.js',
    find: 'await unlessUnavailable(idempotencyKeys.abandon(call));',
    replace: '',
  },
  { file: 'users/read-member.js', find: 'if (member === null)', replace: 'if (false)' },
  { file: 'access/actor.js', find: 'isStorable(short) ? short : null', replace: 'short' },
  { file: 'users/list-members.js', find: 'offset: pageOffset(page)', replace: 'offset: 0' },
  { file: 'users/list-users.js', find: 'limit: limit + 1', replace: 'limit' },
  { file: 'users/list-users.js', find: 'others.length === 0', replace: 'true' },
  { file: 'users/member-of.js', find: 'uuid.toLowerCase()', replace: 'uuid' },
  { file: 'users/set-idp-id.js', find: 'refuseAny([idpIdProblem(idpId)]);', replace: '' },
  { file: 'users/set-idp-id.js', find: 'idpId, replaces }', replace: 'idpId }' },
  { file: 'users/idp-id.js', find: 'idpId === idpId.trim()', replace: 'true' },
  { file: 'users/set-idp-id.js', find: "action: 'idp-id-set'", replace: "action: 'member-added'" },
  { file: 'users/remove-user.js', find: 'keepsOwners: true', replace: 'keepsOwners: false' },
  { file: 'users/erase-member.js', find: 'onlyOf: organizationId', replace: '' },
  { file: 'users/erase-member.js', find: "action: 'user-erased'", replace: "action: 'member-added'" },
  { file: 'users/erase-user.js', find: 'mayLeaveNoOwner: force', replace: 'mayLeaveNoOwner: true' },
  { file: 'users/erase-user.js', find: "action: 'user-erased'", replace: "action: 'member-added'" },
  { file: 'users/read-user-data.js', find: 'person.uuid.toLowerCase()', replace: 'person.uuid' },
  { file: 'users/read-user-data.js', find: 'normalizeEmail(person.email)', replace: 'person.email' },
  { file: 'users/personal-data.js', find: 'erased: true', replace: '' },
  { file: 'users/personal-data.js', find: 'wholeSubjects.includes(action)', replace: 'false' },
  { file: 'webhooks/redeliver.js', find: "found === 'erased'", replace: 'false' },
  { file: 'users/add-member.js', find: "by?.who.kind === 'user'", replace: 'false' },
  { file: 'meetings/list-user-meetings.js', find: 'size: items', replace: 'size: undefined' },
  { file: 'users/change-role.js', find: "action: 'role-changed'", replace: "action: 'member-added'" },
  { file: 'users/change-role.js', find: "why === 'last-owner'", replace: 'false' },
  { file: 'users/remove-member.js', find: "action: 'member-removed'", replace: "action: 'member-added'" },
  { file: 'users/change-password.js', find: 'resumed.boundTo !== null', replace: 'false' },
  { file: 'users/change-password.js', find: 'if (!replaced)', replace: 'if (false)' },
  { file: 'users/invitation-view.js', find: 'isPending ?', replace: 'true ?' },
  { file: 'users/invitation.js', find: 'return uuid.toLowerCase()', replace: 'return uuid' },
  { file: 'users/invitation.js', find: 'uuid: uuid.toLowerCase()', replace: 'uuid' },
  { file: 'users/renew-invitation.js', find: 'invitedBy: actorOf({ by }).who', replace: 'invitedBy: null' },
  { file: 'users/invite-users.js', find: 'lines <= maxInvitationLines', replace: 'true' },
  { file: 'users/invite-users.js', find: 'firstLine !== undefined', replace: 'false' },
  { file: 'users/invite-users.js', find: 'idpId || null', replace: 'null' },
  { file: 'users/invite-each.js', find: 'count <= maxInvitationLines', replace: 'true' },
  { file: 'users/invite-each.js', find: "isNew ? 'created' : 'existing'", replace: "'created'" },
  { file: 'users/find-invitations.js', find: 'limit: limit + 1', replace: 'limit' },
  { file: 'users/find-invitations.js', find: 'normalizeEmail(email)', replace: 'email' },
  { file: 'users/renew-invitation.js', find: 'refuseAny(correctionProblems(request))', replace: '' },
  { file: 'webhooks/configure-webhook.js', find: '.host ??', replace: '.href ??' },
  { file: 'webhooks/configure-webhook.js', find: 'unchangedSince !== undefined', replace: 'false' },
  { file: 'webhooks/list-deliveries.js', find: 'found.length > size', replace: 'found.length >= size' },
  { file: 'webhooks/list-deliveries.js', find: '!isUuid(query.eventId)', replace: 'false' },
  { file: 'webhooks/list-delivery-log.js', find: '.sort(newestFirst)', replace: '' },
  { file: 'webhooks/list-delivery-log.js', find: '!isUuid(eventId)', replace: 'false' },
  { file: 'webhooks/list-delivery-log.js', find: '!isId(id)', replace: 'false' },
  { file: 'webhooks/list-delivery-log.js', find: '|| rest.length > 0', replace: '' },
  { file: 'values/timestamp.js', find: '!INSTANT.test(text)', replace: 'false' },
  { file: 'webhooks/read-delivery.js', find: 'number: index + 1', replace: 'number: index' },
  { file: 'webhooks/read-delivery.js', find: 'isId(deliveryId)', replace: 'true' },
  { file: 'webhooks/redeliver.js', find: '&& isId(deliveryId)', replace: '' },
  {
    file: 'webhooks/matching-deliveries.js',
    find: 'organization === null ?',
    replace: 'organization?.id == null ?',
  },
  { file: 'meetings/read-meeting-changes.js', find: 'organization !== organizationId ||', replace: '' },
  { file: 'meetings/read-meeting-changes.js', find: 'page === null', replace: 'false' },
  { file: 'meetings/read-meeting-changes.js', find: 'chosen.length === 0', replace: 'false' },
  { file: 'webhooks/read-events.js', find: 'organization !== organizationId ||', replace: '' },
  { file: 'webhooks/read-events.js', find: "'oldest' in page", replace: 'false' },
  { file: 'users/register-user.js', find: 'roleProblem(role), ', replace: '' },
  { file: 'values/ids.js', find: '> 0', replace: '>= 0' },
  { file: 'webhooks/test-webhook.js', find: 'webhook.url === null', replace: 'false' },
  { file: 'webhooks/test-webhook.js', find: 'seconds > 0', replace: 'false' },
  { file: 'webhooks/test-webhook.js', find: 'untilAvailable(deps, write)', replace: 'Promise.resolve()' },
  { file: 'webhooks/user-registered.js', find: '2_147_483_647', replace: '1' },
  { file: 'webhooks/attempt-delivery.js', find: '&& !delivery.isTest', replace: '' },
  { file: 'webhooks/failure-notice.js', find: 'failuresInRow >= last', replace: 'failuresInRow > last' },
  { file: 'webhooks/failure-notice.js', find: 'step < last', replace: 'step <= last + 1' },
  { file: 'meetings/calendar.js', find: "waitingStatus !== 'expired'", replace: 'true' },
  { file: 'meetings/calendar.js', find: '.slice(0, maxCalendarMeetings)', replace: '' },
  {
    file: 'meetings/calendar.js',
    find: "? 'tentative' : 'confirmed'",
    replace: "? 'confirmed' : 'tentative'",
  },
  { file: 'meetings/create-calendar-feed.js', find: 'if (!isCreated)', replace: 'if (false)' },
  { file: 'meetings/find-calendar-feed.js', find: 'feed === null ? null :', replace: '' },
  {
    file: 'meetings/revoke-calendar-feed.js',
    find: 'calendarFeeds.revoke({ organizationId, userId })',
    replace: 'true',
  },
  {
    file: 'meetings/read-calendar-feed.js',
    find: 'await deps.members.byUserId(feed)',
    replace: '{ ...feed, user: { id: feed.userId } }',
  },
  { file: 'meetings/read-calendar-meeting.js', find: 'id === meetingId', replace: 'true' },
  {
    file: 'meetings/summarize-meetings.js',
    find: 'withServiceMeetings: organization.eap',
    replace: 'withServiceMeetings: true',
  },
  { file: 'meetings/summarize-meetings.js', find: 'index - before', replace: 'index - before + 1' },
  { file: 'values/page.js', find: 'Math.min(Math.max(number, range.from), range.to)', replace: 'number' },
  { file: 'values/email.js', find: '? email.toLowerCase()', replace: '? email' },
  { file: 'values/email.js', find: "email.normalize('NFC').toLowerCase()", replace: 'email.toLowerCase()' },
  { file: 'users/set-email.js', find: "emailProblem('to', newEmail)", replace: 'null' },
  { file: 'users/set-email.js', find: "action: 'email-changed'", replace: "action: 'member-added'" },
  { file: 'users/accept-invitation.js', find: "emailProblem('email', invitation.email)", replace: 'null' },
  {
    file: 'values/secret.js',
    find: "toJSON() {\n        return '***';",
    replace: 'toJSON() {\n        return this.#text;',
  },
];

const compiled = fileURLToPath(new URL('../', import.meta.url));
const tests = listTestFiles(fileURLToPath(new URL('../../', import.meta.url)))
  .filter((file) => file.startsWith('core/'))
  .map((file) => file.replace(/\.ts$/, '.js'));

/** `npm run test:mutation -- users/ erase` breaks only the files whose names contain an argument. */
const words = process.argv.slice(2);
const chosen = mutations.filter(
  ({ file }) => words.length === 0 || words.some((word) => file.includes(word)),
);
const survivors = chosen.filter((mutation) => {
  const [chapter] = mutation.file.split('/');
  // The tests of the same chapter come first, because they catch most mutations.
  const nearest = tests.filter((file) => file.startsWith(`core/${chapter}/`));
  const verdict = run(mutation, nearest) === 'caught' ? 'caught' : run(mutation, tests);
  process.stdout.write(`${verdict}  ${mutation.file}: ${mutation.find.split('\n')[0]}\n`);
  return verdict !== 'caught';
});

process.stdout.write(`${chosen.length - survivors.length} passed, ${survivors.length} failed\n`);
if (survivors.length > 0 || chosen.length === 0) process.exitCode = 1;

/** Breaks the line, and runs the test files. */
function run(mutation: Mutation, files: readonly string[]): 'caught' | 'SURVIVED' | 'NOT APPLIED' {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--import', './mutation/hook.js', '--test', '--test-reporter=tap', ...files],
    { cwd: compiled, encoding: 'utf8', env: { ...process.env, MUTATION: JSON.stringify(mutation) } },
  );
  if (stdout.includes('does not contain exactly once')) return 'NOT APPLIED';
  return status === 0 ? 'SURVIVED' : 'caught';
}

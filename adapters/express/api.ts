import express, { type RequestHandler, type Router } from 'express';
import { methodsOf } from './add-operations.js';
import { FairTurns } from './fair-turns.js';
import { localsOf } from './locals.js';
import { LongAnswers } from './long-answers.js';
import { handlersOf, type Operation, type OperationOptions } from './operation.js';
import { API_BASE } from './probe-paths.js';
import { decode } from './query.js';
import { authenticate } from './routes/authenticate.js';
import { changeWebhook, createWebhook } from './routes/configure-webhook.js';
import { exportMeetings, exportMeetingsByPost, listExportColumns } from './routes/export-meetings.js';
import { finishRotation } from './routes/finish-rotation.js';
import { inviteUser } from './routes/invite-user.js';
import { inviteUsers } from './routes/invite-users.js';
import { issueLoginLink, issueLoginLinkBySegment } from './routes/issue-login-link.js';
import { listDeliveries } from './routes/list-deliveries.js';
import { listInvitations } from './routes/list-invitations.js';
import { listUpcomingMeetings } from './routes/list-upcoming-meetings.js';
import { listUserMeetings } from './routes/list-user-meetings.js';
import { listUsers } from './routes/list-users.js';
import { readDelivery } from './routes/read-delivery.js';
import { readEvents } from './routes/read-events.js';
import { readInvitation } from './routes/read-invitation.js';
import { readMeetingChanges } from './routes/read-meeting-changes.js';
import { readUser } from './routes/read-user.js';
import { readWebhook } from './routes/read-webhook.js';
import { redeliver } from './routes/redeliver.js';
import { redeliverFailed } from './routes/redeliver-failed.js';
import { removeUser } from './routes/remove-user.js';
import { renewInvitation } from './routes/renew-invitation.js';
import { revokeInvitation } from './routes/revoke-invitation.js';
import { setIdpId } from './routes/set-idp-id.js';
import { testWebhook } from './routes/test-webhook.js';

/**
 * Every URL of section 4 in its order, with the additions beside them. Paths are matched exactly: in another case, or
 * with a slash at the end, a path is unknown. HEAD works wherever GET does.
 */
export function createApi(options: OperationOptions): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(keepBrokenParts);
  const answering = { ...options, turns: new FairTurns(), longAnswers: new LongAnswers() };
  const { get, post, patch, remove, refuseOthers } = methodsOf<Operation>(router, API_BASE, (operation) =>
    handlersOf(answering, operation),
  );

  post('/authenticate', authenticate);
  post('/organizations/:organizationId/invite_user', inviteUser);
  post('/organizations/:organizationId/invite_users', inviteUsers);
  get('/organizations/:organizationId/invitations', listInvitations);
  get('/organizations/:organizationId/invitations/:uuid', readInvitation);
  post('/organizations/:organizationId/invitations/:uuid/revoke', revokeInvitation);
  post('/organizations/:organizationId/invitations/:uuid/renew', renewInvitation);
  post('/organizations/:organizationId/users/:uuid/generate_otl_url', issueLoginLink);
  post('/organizations/:organizationId/users/:uuid/one_time_login_link', issueLoginLinkBySegment);
  get('/organizations/:organizationId/users', listUsers);
  get('/organizations/:organizationId/users/:uuid', readUser);
  patch('/organizations/:organizationId/users/:uuid', setIdpId);
  remove('/organizations/:organizationId/users/:uuid', removeUser);
  get('/organizations/:organizationId/members/:idpId/upcoming_meetings', listUpcomingMeetings);
  get('/organizations/:organizationId/users/:uuid/upcoming_meetings', listUserMeetings);
  get('/organizations/:organizationId/webhook', readWebhook);
  post('/organizations/:organizationId/webhook', createWebhook);
  patch('/organizations/:organizationId/webhook', changeWebhook);
  post('/organizations/:organizationId/webhook/finish_rotation', finishRotation);
  get('/organizations/:organizationId/export_meetings', exportMeetings);
  post('/organizations/:organizationId/export_meetings', exportMeetingsByPost);
  get('/organizations/:organizationId/export_meetings/columns', listExportColumns);
  get('/organizations/:organizationId/meeting_changes', readMeetingChanges);
  get('/organizations/:organizationId/events', readEvents);

  post('/organizations/:organizationId/webhook/test', testWebhook);
  post('/organizations/:organizationId/webhook/redeliver_failed', redeliverFailed);
  get('/organizations/:organizationId/webhook/deliveries', listDeliveries);
  get('/organizations/:organizationId/webhook/deliveries/:deliveryId', readDelivery);
  post('/organizations/:organizationId/webhook/deliveries/:deliveryId/redeliver', redeliver);

  refuseOthers();
  return router;
}

/**
 * Matches a part of the path that cannot be decoded as it was written. Express would refuse the request before the
 * token is checked (decision 142).
 */
export const keepBrokenParts: RequestHandler = (request, response, next) => {
  if (!request.url.includes('%')) return next();
  const [path = '', query] = request.url.split(/(\?.*)/s);
  if (decode(path) === null) {
    const parts = path.split('/').map((part) => (decode(part) === null ? part.replaceAll('%', '%25') : part));
    request.url = `${parts.join('/')}${query ?? ''}`;
    localsOf(response).isPathBroken = true;
  }
  next();
};

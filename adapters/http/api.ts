import type { IRouter, RequestHandler } from 'express';
import { HttpError } from './errors.js';
import { localsOf } from './locals.js';
import { type Operation, type OperationWorld, operationHandler } from './operation.js';
import { authenticate } from './routes/authenticate.js';
import { exportMeetings, exportMeetingsByPost } from './routes/export-meetings.js';
import { inviteUser } from './routes/invite-user.js';
import { issueLoginLink, issueLoginLinkBySegment } from './routes/issue-login-link.js';
import { listUpcomingMeetings } from './routes/list-upcoming-meetings.js';
import { changeWebhook, createWebhook, readWebhook } from './routes/webhook.js';

/** The interface below this is version 2. */
export const API_BASE = '/api/v2';

/**
 * Every URL of section 4, in its order. A path is matched exactly: another case or a slash at the end is an
 * unknown path. HEAD answers wherever GET does.
 */
export function addApi(router: IRouter, world: OperationWorld): void {
  const { get, post, patch, refuseOthers } = table(router, world);

  post('/authenticate', authenticate);
  post('/organizations/:organizationId/invite_user', inviteUser);
  post('/organizations/:organizationId/users/:uuid/generate_otl_url', issueLoginLink);
  post('/organizations/:organizationId/users/:uuid/one_time_login_link', issueLoginLinkBySegment);
  get('/organizations/:organizationId/members/:idpId/upcoming_meetings', listUpcomingMeetings);
  get('/organizations/:organizationId/webhook', readWebhook);
  post('/organizations/:organizationId/webhook', createWebhook);
  patch('/organizations/:organizationId/webhook', changeWebhook);
  get('/organizations/:organizationId/export_meetings', exportMeetings);
  post('/organizations/:organizationId/export_meetings', exportMeetingsByPost);

  refuseOthers();
}

function table(router: IRouter, world: OperationWorld) {
  const methods = new Map<string, string[]>();
  const add = (method: 'get' | 'post' | 'patch') => (path: string, operation: Operation) => {
    const route = `${API_BASE}${path}`;
    router[method](route, operationHandler(world, { ...operation, route }));
    const known = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
    methods.set(route, [...(methods.get(route) ?? []), ...known]);
  };
  const refuseOthers = (): void => {
    for (const [route, allowed] of methods) router.all(route, refuseMethod(route, allowed));
  };
  return { get: add('get'), post: add('post'), patch: add('patch'), refuseOthers };
}

/** Answers 405 and says which methods there are. */
export function refuseMethod(route: string, allowed: readonly string[]): RequestHandler {
  return (_request, response) => {
    localsOf(response).route = route;
    throw new HttpError('method-not-allowed', { headers: { Allow: allowed.join(', ') } });
  };
}

import { testUuid } from '@rollcall/core/testing';
import type { Sent } from './client.js';
import { apiBase } from './service.js';

/** One call of every operation that needs a token. */
export const securedCalls: readonly {
  readonly id: string;
  readonly method: string;
  /** The path after `/organizations/:id`. */
  readonly path: string;
  readonly sent: Sent;
}[] = [
  {
    id: 'inviteUser',
    method: 'POST',
    path: '/invite_user',
    sent: { json: { email: 'dana@northwind.test', first_name: 'Dana', last_name: 'Kim' } },
  },
  {
    id: 'inviteUsers',
    method: 'POST',
    path: '/invite_users',
    sent: { json: { users: [{ email: 'kim@northwind.test', first_name: 'Kim', last_name: 'Lee' }] } },
  },
  { id: 'listInvitations', method: 'GET', path: '/invitations?state=pending&limit=5', sent: {} },
  { id: 'readInvitation', method: 'GET', path: `/invitations/${testUuid(1)}`, sent: {} },
  { id: 'revokeInvitation', method: 'POST', path: `/invitations/${testUuid(1)}/revoke`, sent: {} },
  {
    id: 'renewInvitation',
    method: 'POST',
    path: `/invitations/${testUuid(1)}/renew`,
    sent: { json: { first_name: 'Dana' } },
  },
  { id: 'issueLoginLink', method: 'POST', path: `/users/${testUuid(1)}/generate_otl_url`, sent: {} },
  {
    id: 'issueLoginLinkBySegment',
    method: 'POST',
    path: `/users/${testUuid(1)}/one_time_login_link`,
    sent: {},
  },
  { id: 'listUpcomingMeetings', method: 'GET', path: '/members/idp-1/upcoming_meetings', sent: {} },
  { id: 'listUsers', method: 'GET', path: '/users?search=dana&limit=5', sent: {} },
  { id: 'readUser', method: 'GET', path: `/users/${testUuid(1)}`, sent: {} },
  {
    id: 'changeUser',
    method: 'PATCH',
    path: `/users/${testUuid(1)}`,
    sent: { json: { user: { idp_id: 'dana' } } },
  },
  { id: 'removeUser', method: 'DELETE', path: `/users/${testUuid(1)}`, sent: {} },
  { id: 'listUserMeetings', method: 'GET', path: `/users/${testUuid(1)}/upcoming_meetings`, sent: {} },
  { id: 'readWebhook', method: 'GET', path: '/webhook', sent: {} },
  { id: 'finishRotation', method: 'POST', path: '/webhook/finish_rotation', sent: {} },
  { id: 'createWebhook', method: 'POST', path: '/webhook', sent: { json: { webhook: { enabled: false } } } },
  {
    id: 'changeWebhook',
    method: 'PATCH',
    path: '/webhook',
    sent: { json: { webhook: { enabled: false } } },
  },
  { id: 'readEvents', method: 'GET', path: '/events', sent: {} },
  { id: 'readMeetingChanges', method: 'GET', path: '/meeting_changes?column=name', sent: {} },
  { id: 'testWebhook', method: 'POST', path: '/webhook/test', sent: {} },
  {
    id: 'redeliverFailed',
    method: 'POST',
    path: '/webhook/redeliver_failed',
    sent: { json: { since: '2026-11-20T12:00:00.000Z' } },
  },
  { id: 'listDeliveries', method: 'GET', path: '/webhook/deliveries', sent: {} },
  { id: 'readDelivery', method: 'GET', path: '/webhook/deliveries/1', sent: {} },
  { id: 'redeliver', method: 'POST', path: '/webhook/deliveries/1/redeliver', sent: {} },
  { id: 'exportMeetings', method: 'GET', path: '/export_meetings?column[]=name', sent: {} },
  {
    id: 'exportMeetingsByPost',
    method: 'POST',
    path: '/export_meetings',
    sent: { json: { column: ['name'] } },
  },
  { id: 'listExportColumns', method: 'GET', path: '/export_meetings/columns', sent: {} },
];

/** The operations that have a body. */
export const callsWithBody = securedCalls.filter(({ sent }) => sent.json !== undefined);

export function pathOf(organizationId: number | string, path: string): string {
  return `${apiBase}/organizations/${organizationId}${path}`;
}

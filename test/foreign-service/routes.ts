import {
  type ConfigureWebhook,
  type Core,
  type Organization,
  Refusal,
  type UpcomingMeeting,
  type WebhookView,
} from '@rollcall/core';
import { secretMask } from '@rollcall/core/adapters';
import { availableEvents } from '@rollcall/core/rules';
import type { Input } from './body.js';
import { exportFailed } from './errors.js';

/** The input of a route. `organization` is the one that the token belongs to. */
export interface Call {
  readonly core: Core;
  readonly organization: Organization;
  /** The variable part of the path, or an empty string. */
  readonly key: string;
  readonly input: Input;
}

/** A response that is too large for memory: a text, then chunks, then another text. */
export interface Streamed {
  readonly before: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly after: string;
}

export interface Route {
  readonly method: string;
  /** Below `/api/v2/organizations/:id`. */
  readonly path: RegExp;
  readonly answer: (call: Call) => Promise<object | Streamed>;
}

export const routes: readonly Route[] = [
  { method: 'POST', path: /^\/invite_user$/, answer: inviteUser },
  { method: 'POST', path: /^\/users\/([^/]+)\/generate_otl_url$/, answer: issueLoginLink },
  { method: 'POST', path: /^\/users\/([^/]+)\/one_time_login_link$/, answer: issueLoginLink },
  { method: 'GET', path: /^\/members\/([^/]+)\/upcoming_meetings$/, answer: listUpcomingMeetings },
  { method: 'GET', path: /^\/webhook$/, answer: readWebhook },
  { method: 'POST', path: /^\/webhook$/, answer: (call) => configureWebhook(call, 'set') },
  { method: 'PATCH', path: /^\/webhook$/, answer: (call) => configureWebhook(call, 'change') },
  { method: 'GET', path: /^\/export_meetings$/, answer: exportMeetings },
  { method: 'POST', path: /^\/export_meetings$/, answer: exportMeetings },
];

async function inviteUser({ core, organization, input }: Call): Promise<object> {
  // The fields are passed on unchecked: the core reports what is wrong with each, including a wrong type.
  const [email, firstName, lastName] = [input.email, input.first_name, input.last_name] as [
    string,
    string,
    string,
  ];
  const user = await core.inviteUser({ organization, email, firstName, lastName });
  return {
    success: 'User invited successfully.',
    user: {
      id: user.uuid,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
      invitation_url: user.invitationUrl,
    },
  };
}

async function issueLoginLink({ core, organization, key }: Call): Promise<object> {
  const { url } = await core.issueLoginLink({ organization, uuid: key });
  return { success: 'OTL link generated', otl_url: url };
}

async function listUpcomingMeetings({ core, organization, key, input }: Call): Promise<object> {
  const { page, items } = input;
  const upcoming = await core.listUpcomingMeetings({ organization, idpId: key, page, items });
  return {
    current_page: upcoming.currentPage,
    items: upcoming.items,
    total_items: upcoming.totalItems,
    total_pages: upcoming.totalPages,
    meetings: upcoming.meetings.map(toWire),
  };
}

/** Written field by field, so that a field that the core adds later is not sent by accident. */
function toWire(meeting: UpcomingMeeting): object {
  const leader = meeting.groupLeader;
  return {
    id: meeting.id,
    name: meeting.name,
    start_time: meeting.startTime,
    end_time: meeting.endTime,
    duration: meeting.duration,
    duration_in_minutes: meeting.durationInMinutes,
    topic: meeting.topic,
    description: meeting.description,
    location: meeting.location,
    max_attendees: meeting.maxAttendees,
    registered_attendees: meeting.registeredAttendees,
    group_leader: leader === null ? null : { id: leader.id, name: leader.name, avatar: leader.avatar },
    waiting_status: meeting.waitingStatus,
    registered: meeting.registeredAt !== null,
    registered_at: meeting.registeredAt,
  };
}

async function readWebhook({ core, organization }: Call): Promise<object> {
  const webhook = await core.readWebhook({ organization });
  return {
    success: true,
    webhook: webhook === null ? null : toWireWebhook(webhook),
    available_events: availableEvents,
  };
}

async function configureWebhook(
  { core, organization, input }: Call,
  how: ConfigureWebhook['how'],
): Promise<object> {
  const { webhook: given, regenerate_secret: regenerateSecret } = input;
  const webhook = await core.configureWebhook({ organization, how, webhook: given, regenerateSecret });
  return { success: true, webhook: toWireWebhook(webhook), available_events: availableEvents };
}

function toWireWebhook({ id, url, enabled, events, secret, createdAt, updatedAt }: WebhookView): object {
  return {
    id,
    url: url ?? '',
    enabled,
    events,
    secret: secret?.reveal() ?? secretMask,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

async function exportMeetings({ core, organization, input }: Call): Promise<Streamed> {
  const parameters = {
    columns: texts(input, 'column'),
    reportingDays: text(input, 'reporting_days'),
    startTime: text(input, 'start_time'),
    endTime: text(input, 'end_time'),
    reportType: text(input, 'report_type'),
    timeZone: text(input, 'time_zone'),
    page: input.page,
    perPage: input.per_page,
  };
  const exported = core.exportMeetings({ organization, ...parameters });
  const { metadata, chunks } = await exported.catch((error) => Promise.reject(exportFailed(error)));
  if (metadata === null) return { before: '{"success":true,"meetings":[', chunks, after: ']}' };
  const { page, perPage, totalPages, totalCount } = metadata;
  const wire = { page, per_page: perPage, total_pages: totalPages, total_count: totalCount };
  return { before: `{"success":true,"metadata":${JSON.stringify(wire)},"meetings":[`, chunks, after: ']}' };
}

function text(input: Input, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new Refusal('invalid-request', `${name} must be a string`);
}

function texts(input: Input, name: string): readonly string[] {
  const values = [input[name] ?? []].flat();
  if (values.every((value) => typeof value === 'string')) return values;
  throw new Refusal('invalid-request', `${name} must be an array of strings`);
}

import type { VNode } from 'preact';
import { DataTable } from '../design/components.js';
import type { ErrorFact } from './api-facts.js';
import { Exporting } from './guide-exports.js';
import { Mails } from './guide-mail.js';
import { Invitations, People } from './guide-people.js';
import { type GuideContent, Shell, withCode } from './guide-shell.js';
import { Events, Idempotency, Redelivery, Rotating, Webhooks } from './guide-webhooks.js';

interface Section {
  /** Its anchor, which other sites link to. */
  readonly id: string;
  readonly title: string;
  readonly Body: (content: GuideContent) => VNode;
}

export const guideSections: readonly Section[] = [
  { id: 'quick-start', title: 'Quick start', Body: QuickStart },
  { id: 'people', title: 'People', Body: People },
  { id: 'invitations', title: 'Invitations', Body: Invitations },
  { id: 'mails', title: 'Emails', Body: Mails },
  { id: 'webhooks', title: 'Verifying webhooks', Body: Webhooks },
  { id: 'rotating', title: 'Rotating the secret', Body: Rotating },
  { id: 'idempotency', title: 'Duplicate events', Body: Idempotency },
  { id: 'redelivery', title: 'Missed events', Body: Redelivery },
  { id: 'events', title: 'Reading events', Body: Events },
  { id: 'exporting', title: 'Exports', Body: Exporting },
  { id: 'errors', title: 'Errors', Body: Errors },
  { id: 'repeating', title: 'Repeating requests', Body: Repeating },
  { id: 'limits', title: 'Limits', Body: Limits },
  { id: 'versioning', title: 'Versioning', Body: Versioning },
];

function QuickStart({ commands }: GuideContent) {
  return (
    <>
      <p>
        An owner generates the access key on the organization page. Exchange it for a token, and use the token
        for every other call.
      </p>
      <Shell commands={commands} id="given" />
      <Shell commands={commands} id="authenticate" />
      <p>
        Send the person the <code>invitation_url</code> from the response. Anyone who opens it can accept.
        Inviting the same person again returns the first invitation unchanged until they accept. To correct a
        name, <a href="#invitations">renew the invitation</a>.
      </p>
      <Shell commands={commands} id="invite" />
      <p>
        The <code>idp_id</code> is your own ID of the person. You can leave it out and set it later. Once the
        person has accepted, they are one of your users. You can address them by the <code>id</code> in the
        response, or by your own ID under <code>members/&lt;idp_id&gt;/upcoming_meetings</code>.
      </p>
      <Shell commands={commands} id="users" />
      <Shell commands={commands} id="user" />
      <Shell commands={commands} id="upcoming" />
      <p>
        A login link takes a member from your site to these meetings without a password. It works once, for 5
        minutes, so request it when the member clicks.
      </p>
      <Shell commands={commands} id="login" />
      <Shell commands={commands} id="export" />
      <p>
        The signing secret is only in the response that created it. <code>regenerate_secret</code> creates a
        new one at once. Use the URL of your own endpoint. It replaces the demo’s receiver, which then gets no
        more events.
      </p>
      <Shell commands={commands} id="webhook" />
    </>
  );
}

function Errors({ facts, commands }: GuideContent) {
  return (
    <>
      <p>
        An error is <code>{'{ "error": "…" }'}</code>, and for webhook settings{' '}
        <code>{'{ "success": false, "errors": ["…"] }'}</code>. The texts are for people and may change. Your
        program should check <code>X-Error-Code</code>, which is one of those below. When you ask for help,
        include the <code>X-Request-Id</code> of the response.
      </p>
      <Shell commands={commands} id="code" />
      <DataTable
        caption="Errors"
        columns={[
          { title: 'Status', cell: ({ status }: ErrorFact) => status },
          { title: 'X-Error-Code', cell: ({ code }) => <code>{code}</code> },
          { title: 'Meaning', cell: ({ meaning }) => withCode(meaning) },
          { title: 'What to do', cell: ({ advice }) => withCode(advice) },
        ]}
        rows={[...facts.errors].sort((one, other) => one.status.localeCompare(other.status))}
        keyOf={({ code }) => code}
      />
    </>
  );
}

function Repeating() {
  return (
    <>
      <p>
        You sent a request, and the connection failed before the response came. You can send a GET or an
        invitation again. For a request that must happen only once, such as rotating the secret or resending
        events, send the header <code>Idempotency-Key</code> with a new value, such as a UUID. If you send the
        request again with the same key and body, you get the first response, and nothing happens twice. Keys
        are kept for 24 hours.
      </p>
      <p>
        The reference shows which requests accept the header. A refused request (4xx) keeps nothing: correct
        it and use the same key. Another body with the key of a request that worked gets 422. While the first
        request is still running, others with its key get 409: wait for the number of seconds in{' '}
        <code>Retry-After</code>, and send it again.
      </p>
      <p>
        In JavaScript and TypeScript, <code>@rollcall/contracts/client</code> waits and repeats for you. It
        also renews the token, follows lists from page to page, and streams exports. Install it with{' '}
        <code>npm install @rollcall/contracts</code>. If your registry does not have it, the people who run
        the service can give you the package: <code>npm pack -w @rollcall/contracts</code> creates it.
      </p>
    </>
  );
}

const limits = [
  { what: 'Token', limit: 'valid for 1 day, or until the access key is replaced' },
  { what: 'Login link', limit: 'works for 5 minutes, once' },
  { what: 'Access key', limit: '24 digits' },
  { what: 'items of upcoming meetings', limit: '1 to 100, default 10; other values are clamped' },
  { what: 'per_page of exports', limit: '1 to 100, default 100; other values are clamped' },
  { what: 'limit of other lists', limit: '1 to 100, default 50; other values are clamped' },
  { what: 'limit of events', limit: '1 to 1,000, default 50; other values are clamped' },
  { what: 'users of invite_users', limit: '1 to 500' },
  { what: 'Request body', limit: '100 KB; 1 MB for invite_users' },
  { what: 'Webhook URL', limit: 'HTTPS only' },
  { what: 'Webhook, connecting', limit: '5 seconds, including DNS and TLS' },
  { what: 'Webhook, response', limit: '10 seconds' },
  {
    what: 'Wrong access keys',
    limit: '100 per minute per IP address (IPv6: per /64), unless the operator changed it',
  },
  { what: 'Requests', limit: 'none, unless the operator set one' },
] as const;

function Limits() {
  return (
    <>
      <DataTable
        caption="Limits"
        columns={[
          { title: 'What', cell: ({ what }) => what },
          { title: 'Limit', cell: ({ limit }) => limit },
        ]}
        rows={limits}
        keyOf={({ what }) => what}
      />
      <p>
        Too many requests get status 429, and an overloaded service responds with 503. Both have the header{' '}
        <code>Retry-After</code>: the number of seconds to wait before you retry.
      </p>
    </>
  );
}

function Versioning({ commands }: GuideContent) {
  return (
    <>
      <p>
        The version is in the URL: <code>/api/v2</code>. New features within a version are opt-in, like the
        pages of exports. You only get the events that you subscribe to. See <code>available_events</code> for
        new ones.
      </p>
      <Shell commands={commands} id="events" />
    </>
  );
}

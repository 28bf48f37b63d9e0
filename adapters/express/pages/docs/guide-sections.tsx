import type { ComponentChildren, VNode } from 'preact';
import { CopyText, DataTable } from '../design/components.js';
import type { ApiFacts, ErrorFact } from './api-facts.js';
import type { Command, CommandId } from './commands.js';
import type { Receiver } from './receivers.js';

export interface GuideContent {
  readonly serviceName: string;
  readonly facts: ApiFacts;
  readonly commands: readonly Command[];
  readonly receivers: readonly Receiver[];
}

interface Section {
  /** Its anchor, which other sites link to. */
  readonly id: string;
  readonly title: string;
  readonly Body: (content: GuideContent) => VNode;
}

export const guideSections: readonly Section[] = [
  { id: 'quick-start', title: 'Quick start', Body: QuickStart },
  { id: 'invitations', title: 'Invitations', Body: Invitations },
  { id: 'webhooks', title: 'Verifying webhooks', Body: Webhooks },
  { id: 'rotating', title: 'Rotating the secret', Body: Rotating },
  { id: 'idempotency', title: 'Duplicate events', Body: Idempotency },
  { id: 'redelivery', title: 'Redelivery', Body: Redelivery },
  { id: 'events', title: 'Reading events', Body: Events },
  { id: 'exporting', title: 'Exports', Body: Exporting },
  { id: 'errors', title: 'Errors', Body: Errors },
  { id: 'repeating', title: 'Repeating requests', Body: Repeating },
  { id: 'limits', title: 'Limits', Body: Limits },
  { id: 'versioning', title: 'Versioning', Body: Versioning },
];

function Shell({ commands, id }: Pick<GuideContent, 'commands'> & { readonly id: CommandId }) {
  const found = commands.find((command) => command.id === id);
  if (found === undefined) throw new Error(`the guide has no command ${id}`);
  return <CopyText id={`shell-${id}`} label={found.label} text={found.command} isLong />;
}

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
        Inviting the same person again returns the same URL until they accept.
      </p>
      <Shell commands={commands} id="invite" />
      <p>
        Once they have accepted, they are one of your users. The list has every user with the <code>id</code>{' '}
        that the invitation returned. Pass <code>next</code> as <code>after</code> to get the users that
        follow. <code>email</code>, <code>idp_id</code>, <code>role</code> and <code>search</code> narrow the
        list; <code>search=tomas</code> finds Tomás.
      </p>
      <Shell commands={commands} id="users" />
      <Shell commands={commands} id="user" />
      <Shell commands={commands} id="upcoming" />
      <p>
        The same list is under <code>members/&lt;idp_id&gt;/upcoming_meetings</code> for users whose ID at
        your identity provider is known here. To set or remove it, send PATCH to <code>users/&lt;id&gt;</code>{' '}
        with <code>{'{"user":{"idp_id":"…"}}'}</code> or <code>null</code>. DELETE ends the membership; owners
        are removed on the People page.
      </p>
      <p>
        A login link takes a member from your site to these meetings without a password. Request it with the
        user’s <code>id</code> from the response to the invitation, once the person has accepted. It works
        once, for 5 minutes, so request it when the member clicks.
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

function Invitations({ commands }: GuideContent) {
  return (
    <>
      <p>
        <code>invite_users</code> invites up to 500 people and returns a result for each, in your order. A
        wrong entry stops no other. With an <code>idp_id</code>, which the person gets on joining, you find
        their meetings by your own ID. If the connection breaks, send the same list with the same{' '}
        <code>Idempotency-Key</code> again to get the same answer.
      </p>
      <Shell commands={commands} id="invite-many" />
      <p>
        If you lose an <code>id</code> or a link, the list has them. <code>state</code> is{' '}
        <code>pending</code>, <code>accepted</code>, <code>revoked</code> or <code>replaced</code>.
      </p>
      <Shell commands={commands} id="invitations" />
      <Shell commands={commands} id="invitation" />
      <p>
        To correct a name or an <code>idp_id</code>, renew the invitation. The person gets a new link, the old
        one stops working, and the <code>id</code> stays the same. The invitation before it is listed as{' '}
        <code>replaced</code>. POST to <code>revoke</code> ends an invitation; renewing brings it back.
      </p>
      <Shell commands={commands} id="renew" />
    </>
  );
}

function Webhooks({ receivers, serviceName }: GuideContent) {
  const brand = serviceName.replaceAll(' ', '-');
  return (
    <>
      <p>
        Every webhook is a POST. Its header <code>{`X-${brand}-Signature`}</code> is <code>sha256=</code>{' '}
        followed by the HMAC-SHA256 of the body, in hex. To verify it:
      </p>
      <ul>
        <li>Use the raw body, byte for byte. JSON that you parse and serialize again has other bytes.</li>
        <li>
          Use the secret as it was shown, including <code>whsec_</code>.
        </li>
        <li>Compare in constant time, with your language’s function for this.</li>
      </ul>
      <p>
        Respond with a 2xx status within 10 seconds, and do the work afterwards. Redirects are not followed.
        Each receiver below is complete and needs only the standard library (Ruby: a Rack server). Your URL
        must use HTTPS, so put a proxy in front.
      </p>
      {receivers.map(({ language, file, command, code }) => (
        <section key={language} aria-labelledby={`receiver-${language}`}>
          <h3 id={`receiver-${language}`}>{language}</h3>
          <CopyText
            id={`receiver-code-${language}`}
            label={`${file}, run with: ${command}`}
            text={code}
            isLong
          />
        </section>
      ))}
      <p>
        Each request also has the headers of Standard Webhooks: <code>webhook-id</code>,{' '}
        <code>webhook-timestamp</code> and <code>webhook-signature</code>. Its libraries verify them with the
        same secret, as it was shown.
      </p>
      <p>
        Tests from the webhooks page are signed in the same way and have the header{' '}
        <code>{`X-${brand}-Test`}</code>. Their user does not exist.
      </p>
      <p>
        To check your code: with the secret <code>It's a Secret to Everybody</code> and the body{' '}
        <code>Hello, World!</code>, the signature is{' '}
        <code>sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17</code>.
      </p>
    </>
  );
}

function Rotating({ commands, serviceName }: GuideContent) {
  const header = `X-${serviceName.replaceAll(' ', '-')}-Signature`;
  return (
    <>
      <p>
        <code>regenerate_secret</code> alone replaces the secret at once, and your endpoint rejects our
        requests until it has the new one. To rotate the secret without missing an event:
      </p>
      <ol>
        <li>
          Change your endpoint so that it can hold two secrets and accepts a request that either of them
          verifies. <code>verifyWebhook</code> of <code>@rollcall/contracts</code> takes a list of secrets.
        </li>
        <li>
          Regenerate the secret with <code>overlap_hours</code> (1 to 168), or on the webhooks page. Until the
          overlap ends, <code>{header}</code> is made with the old secret, and <code>webhook-signature</code>{' '}
          has a signature of each.
        </li>
        <li>Give your endpoint the new secret beside the old one, on every server.</li>
        <li>
          Finish the rotation, or wait for its end. From then on, only the new secret is used, and you can
          remove the old one from your endpoint.
        </li>
      </ol>
      <Shell commands={commands} id="rotate" />
      <Shell commands={commands} id="finish" />
      <p>
        If the secret has leaked, leave <code>overlap_hours</code> out. This also ends a rotation that is
        under way.
      </p>
      <p>
        An owner can replace the access key in the same way: the organization page offers to keep the old key
        working for up to 7 days. The API can’t replace it.
      </p>
    </>
  );
}

function Idempotency({ serviceName }: GuideContent) {
  return (
    <p>
      An event can arrive more than once, because someone resent it or because a crash hid that it had
      arrived. Its bytes are the same each time, and so is its <code>event_id</code>, which is in the body and
      in the header <code>{`X-${serviceName.replaceAll(' ', '-')}-Event-Id`}</code>. Store the IDs that you
      have processed, and respond with 204 when one comes again.
    </p>
  );
}

function Redelivery() {
  return (
    <>
      <p>
        Failed deliveries are not retried automatically. Admins see them on the webhooks page with the reason,
        what we sent and what your endpoint answered, and can resend them there. Your program can do the same
        with these calls, below <code>/organizations/&lt;number&gt;/webhook</code>:
      </p>
      <DataTable
        caption="Calls about deliveries"
        columns={[
          { title: 'Call', cell: ({ call }) => <code>{call}</code> },
          { title: 'What it does', cell: ({ does }) => does },
        ]}
        rows={deliveryCalls}
        keyOf={({ call }) => call}
      />
      <p>
        A resent event goes to the URL that is configured at that time, signed with the secret current at that
        time. The people who run the service can also use <code>rollcall deliveries redeliver</code>.
      </p>
    </>
  );
}

const deliveryCalls = [
  { call: 'GET /deliveries?state=failed', does: 'Lists failed deliveries, newest first.' },
  {
    call: 'GET /deliveries/<id>',
    does: 'Shows each request as it was sent, with the beginning of your response.',
  },
  { call: 'POST /deliveries/<id>/redeliver', does: 'Resends one event.' },
  {
    call: 'POST /redeliver_failed',
    does: 'Resends everything that has failed since a time: { "since": "2026-11-20T12:00:00Z" }.',
  },
  { call: 'POST /test', does: 'Sends a test event and responds with its result.' },
] as const;

function Events({ commands }: GuideContent) {
  return (
    <>
      <p>
        You can also read what happened, with or without a webhook. Every registration is recorded, and each
        event is the body that a webhook gets.
      </p>
      <Shell commands={commands} id="feed" />
      <p>
        Process a page, store its <code>next</code>, and send it as <code>after</code> the next time. You miss
        no event and get none twice. While <code>has_more</code> is true, ask again at once. To begin with
        what happens from now on, start at the newest event.
      </p>
      <Shell commands={commands} id="newest" />
      <Shell commands={commands} id="following" />
      <p>
        Events are kept for 30 days, unless the people who run the service have configured another period. If
        your place is older, the response is 410. Continue with the value of its header{' '}
        <code>X-Oldest-Cursor</code>, and skip events whose <code>event_id</code> you know.
      </p>
    </>
  );
}

function Exporting({ facts, commands }: GuideContent) {
  return (
    <>
      <p>
        Each meeting in the response has exactly the columns that you ask for, in that order. Meetings are
        ordered by start time. Without columns, the response has no meetings. Unknown parameters are ignored,
        so if the list is empty, check the spelling: the parameter is <code>column</code> or{' '}
        <code>column[]</code>, and <code>columns=name</code> asks for nothing. An unknown column is an error.
      </p>
      <DataTable
        caption="Columns"
        columns={[
          { title: 'Column', cell: ({ key }) => <code>{key}</code> },
          { title: 'In the response', cell: ({ responseKey }) => <code>{responseKey}</code> },
          { title: 'Type', cell: ({ type }) => type },
        ]}
        rows={facts.columns}
        keyOf={({ key }) => key}
      />
      <p>
        Your program can ask for these columns, with labels for people, at{' '}
        <code>/export_meetings/columns</code>.
      </p>
      <Shell commands={commands} id="columns" />
      <h3>Which meetings</h3>
      <p>
        Without <code>reporting_days</code>, an export has <strong>completed meetings only</strong>. To get
        meetings of every status, including upcoming and cancelled ones, ask for <code>everything</code>.
      </p>
      <DataTable
        caption="Presets"
        columns={[
          { title: 'reporting_days', cell: ({ values }) => codes(values) },
          { title: 'Meetings', cell: ({ meaning }) => withCode(meaning) },
        ]}
        rows={facts.presets}
        keyOf={({ values }) => values.join()}
      />
      <p>
        <code>report_type</code> is {codes(facts.reportTypes)}: all (the default), or only those of the
        Employee Assistance Program. <code>start_time</code> and <code>end_time</code> limit any preset to a
        period that includes both. They are read in <code>time_zone</code>, else in your organization’s time
        zone.
      </p>
      <Shell commands={commands} id="range" />
      <h3>Pages</h3>
      <p>
        With <code>page</code> or <code>per_page</code>, the response has <code>metadata</code> with{' '}
        <code>total_pages</code> and <code>total_count</code>. A page past the end is empty.
      </p>
      <Shell commands={commands} id="page" />
      <h3>Everything at once</h3>
      <p>
        Without either, all meetings that you ask for come in one response, streamed from one snapshot. Save
        it to a file, and read that as a stream. If an export is cut off, its JSON is incomplete and{' '}
        <code>curl</code> exits with an error. The response is compressed if the client accepts gzip: with{' '}
        <code>curl</code>, add <code>--compressed</code>.
      </p>
      <Shell commands={commands} id="whole" />
      <h3>CSV and JSON lines</h3>
      <p>
        With <code>Accept: text/csv</code>, the response is a CSV file for spreadsheets: its first line has
        the labels of the columns, and an apostrophe is put before text that a spreadsheet would read as a
        formula. With <code>Accept: application/x-ndjson</code>, each line is one meeting as JSON, which a
        program can read line by line. Pages have the same header <code>Link</code> as in JSON, and no{' '}
        <code>metadata</code>. Errors are always JSON.
      </p>
      <Shell commands={commands} id="csv" />
      <h3>Keeping a copy up to date</h3>
      <p>
        Export everything once, with <code>id</code> and <code>updated_at</code>:
      </p>
      <Shell commands={commands} id="copy" />
      <p>
        After that, ask for what has changed <code>updated_since</code> the latest <code>updated_at</code>{' '}
        that you have, and replace your rows by <code>id</code>. Use that time and not your own clock, so that
        you miss nothing. Meetings with exactly that time come again.
      </p>
      <Shell commands={commands} id="since" />
      <p>
        Meetings that were deleted, or that no longer belong to your organization, are not in the response. To
        find them, export only the <code>id</code> of everything from time to time, and delete the rows that
        it lacks. In a URL, write the <code>+</code> of an offset as <code>%2B</code>, or use times that end
        in <code>Z</code>.
      </p>
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
        also renews the token, follows lists from page to page, and streams exports.
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
  { what: 'limit of events', limit: '1 to 1,000, default 50; other values are clamped' },
  { what: 'Request body', limit: '100 KB' },
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

function codes(values: readonly string[]): ComponentChildren {
  return values.flatMap((value, index) => [index === 0 ? '' : ' or ', <code key={value}>{value}</code>]);
}

/** A sentence of the OpenAPI document, with code between backquotes. */
function withCode(sentence: string): ComponentChildren {
  return sentence.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}

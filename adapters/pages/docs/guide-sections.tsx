import type { ComponentChildren, VNode } from 'preact';
import { CopyText, DataTable } from '../design/parts.js';
import type { Command, CommandId } from './commands.js';
import type { ErrorFact, InterfaceFacts } from './facts.js';
import type { Receiver } from './receivers.js';

export interface GuideContent {
  readonly serviceName: string;
  readonly facts: InterfaceFacts;
  readonly commands: readonly Command[];
  readonly receivers: readonly Receiver[];
}

interface Section {
  /** Its anchor; links from elsewhere rely on it. */
  readonly id: string;
  readonly title: string;
  readonly Body: (content: GuideContent) => VNode;
}

export const guideSections: readonly Section[] = [
  { id: 'quick-start', title: 'Quick start', Body: QuickStart },
  { id: 'webhooks', title: 'Verifying webhooks', Body: Webhooks },
  { id: 'idempotency', title: 'The same event twice', Body: Idempotency },
  { id: 'redelivery', title: 'Sending again', Body: Redelivery },
  { id: 'exporting', title: 'Exporting', Body: Exporting },
  { id: 'errors', title: 'Errors', Body: Errors },
  { id: 'limits', title: 'Limits', Body: Limits },
  { id: 'versioning', title: 'Versions', Body: Versioning },
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
        The owner of the organization generates its access key on the organization page. It becomes a token,
        and everything else is called with the token. All of this works as it stands in a demo, which{' '}
        <code>npm run demo -- --fresh</code> begins anew where its key was replaced; elsewhere put in your
        own.
      </p>
      <Shell commands={commands} id="given" />
      <Shell commands={commands} id="authenticate" />
      <p>
        Anyone who opens the <code>invitation_url</code> in the answer can accept. Inviting the same person
        again gives the same URL until then.
      </p>
      <Shell commands={commands} id="invite" />
      <p>
        A member is known by the id at your identity provider, <code>idp_id</code>.
      </p>
      <Shell commands={commands} id="upcoming" />
      <p>
        A one-time login link takes the member from your own pages to these meetings without a password. It
        needs the <code>uuid</code> that the answer to the invitation had, and works once, for 5 minutes: ask
        for it when the member goes there.
      </p>
      <Shell commands={commands} id="login" />
      <Shell commands={commands} id="export" />
      <p>
        The secret that signs webhooks is in the answer that made it, and in no later one:{' '}
        <code>regenerate_secret</code> makes a new one at once. The URL is that of your receiver; the demo’s
        own, which it prints when it starts, hears nothing more once there is another one.
      </p>
      <Shell commands={commands} id="webhook" />
    </>
  );
}

function Webhooks({ receivers, serviceName }: GuideContent) {
  const brand = serviceName.replaceAll(' ', '-');
  return (
    <>
      <p>
        Every webhook is a POST whose header <code>{`X-${brand}-Signature`}</code> holds <code>sha256=</code>{' '}
        and the hex HMAC-SHA256 of the body. Three things matter:
      </p>
      <ul>
        <li>
          Take the raw body, the bytes as they came. JSON that was parsed and written again has other bytes.
        </li>
        <li>
          The key is the secret as it was shown, <code>whsec_</code> included.
        </li>
        <li>Compare in constant time, with the function that the language has for it.</li>
      </ul>
      <p>
        Answer with a 2xx within 10 seconds and work afterwards. A redirect is not followed. Each of these
        receivers is whole, and needs nothing but what comes with the language (Ruby: a Rack server). The URL
        that you save has to be HTTPS: put your own proxy in front.
      </p>
      {receivers.map(({ language, file, command, code }) => (
        <section key={language} aria-labelledby={`receiver-${language}`}>
          <h3 id={`receiver-${language}`}>{language}</h3>
          <CopyText
            id={`receiver-code-${language}`}
            label={`${file}, run by: ${command}`}
            text={code}
            isLong
          />
        </section>
      ))}
      <p>
        A test that an admin sends is signed like any other and has the header{' '}
        <code>{`X-${brand}-Test`}</code>; the user in it does not exist.
      </p>
      <p>
        To try your own: with the secret <code>It's a Secret to Everybody</code> the body{' '}
        <code>Hello, Deps!</code> has the signature{' '}
        <code>sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17</code>.
      </p>
    </>
  );
}

function Idempotency({ serviceName }: GuideContent) {
  return (
    <p>
      An event can arrive more than once: somebody sent it again, or a crash hid that it had arrived. Its{' '}
      <code>event_id</code>, in the body and in{' '}
      <code>{`X-${serviceName.replaceAll(' ', '-')}-Event-Id`}</code>, is the same each time, and so are all
      its bytes. Keep the ids that you have worked on, and answer 204 to those that come again.
    </p>
  );
}

function Redelivery() {
  return (
    <p>
      A delivery that failed is kept in the log and never sent again by itself. An admin finds it under
      Webhooks with the reason, and sends it again from there; the operator can do so with{' '}
      <code>rollcall deliveries redeliver</code>. It goes to the URL that is configured then, signed with the
      secret current at that time.
    </p>
  );
}

function Exporting({ facts, commands }: GuideContent) {
  return (
    <>
      <p>
        Each meeting of the answer has exactly the columns that were asked for, in that order. Without any,
        there are no meetings in the answer. They are ordered by their start.
      </p>
      <DataTable
        caption="Columns"
        columns={[
          { title: 'Column', cell: ({ key }) => <code>{key}</code> },
          { title: 'In the answer', cell: ({ answered }) => <code>{answered}</code> },
          { title: 'Type', cell: ({ type }) => type },
        ]}
        rows={facts.columns}
        keyOf={({ key }) => key}
      />
      <h3>Which meetings</h3>
      <DataTable
        caption="Presets"
        columns={[
          { title: 'reporting_days', cell: ({ values }) => codes(values) },
          { title: 'Meetings', cell: ({ meaning }) => marked(meaning) },
        ]}
        rows={facts.presets}
        keyOf={({ values }) => values.join()}
      />
      <p>
        <code>report_type</code> is {codes(facts.reportTypes)}: all, which is meant where it is left out, or
        those of the Employee Assistance Program only. <code>start_time</code> and <code>end_time</code>, both
        included, narrow down any preset. They are read in <code>time_zone</code>, else in the zone of your
        organization.
      </p>
      <Shell commands={commands} id="range" />
      <h3>Pages</h3>
      <p>
        With <code>page</code> or <code>per_page</code> the answer has <code>metadata</code> with{' '}
        <code>total_pages</code> and <code>total_count</code>. A page past the end is empty.
      </p>
      <Shell commands={commands} id="page" />
      <h3>Everything at once</h3>
      <p>
        Without either, all meetings come in one answer, however many: one snapshot, written as it is read.
        Let it run into a file, and read it as a stream. An export that breaks off ends without the end of its
        JSON, and <code>curl</code> says so by its exit code. The answer is not compressed by the service
        itself; where a proxy in front does it, add <code>--compressed</code>.
      </p>
      <Shell commands={commands} id="whole" />
    </>
  );
}

function Errors({ facts, commands }: GuideContent) {
  return (
    <>
      <p>
        An error is <code>{'{ "error": "…" }'}</code>, for webhook settings{' '}
        <code>{'{ "success": false, "errors": ["…"] }'}</code>. The texts are for people and may change;
        programs read <code>X-Error-Code</code>, which is one of the list. Quote <code>X-Request-Id</code>,
        which every answer has, when you ask for help.
      </p>
      <Shell commands={commands} id="code" />
      <DataTable
        caption="Errors"
        columns={[
          { title: 'Status', cell: ({ status }: ErrorFact) => status },
          { title: 'X-Error-Code', cell: ({ code }) => <code>{code}</code> },
          { title: 'Meaning', cell: ({ meaning }) => marked(meaning) },
          { title: 'What to do', cell: ({ advice }) => marked(advice) },
        ]}
        rows={[...facts.errors].sort((one, other) => one.status.localeCompare(other.status))}
        keyOf={({ code }) => code}
      />
    </>
  );
}

const limits = [
  { what: 'Token', limit: 'valid for 1 day; a new access key ends it at once' },
  { what: 'Login link', limit: 'works for 5 minutes, once' },
  { what: 'Access key', limit: '24 digits' },
  { what: 'items of upcoming meetings', limit: '1 to 100, else the nearest; 10 if left out' },
  { what: 'per_page of exports', limit: '1 to 100, else the nearest; 100 if left out' },
  { what: 'Body of a request', limit: '100 KB' },
  { what: 'Webhook URL', limit: 'HTTPS only' },
  { what: 'Webhook, to connect', limit: '5 seconds, with name look-up and TLS' },
  { what: 'Webhook, to answer', limit: '10 seconds' },
  {
    what: 'Wrong access keys',
    limit: '100 a minute from one address (IPv6: one /64), unless the operator chose otherwise',
  },
  { what: 'Requests', limit: 'none, unless the operator chose one' },
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
        One request too many is answered 429, and an overload 503. Both have the header{' '}
        <code>Retry-After</code>: the seconds after which asking again makes sense.
      </p>
    </>
  );
}

function Versioning({ commands }: GuideContent) {
  return (
    <>
      <p>
        The version stands in the address, <code>/api/v2</code>. What is new within it is opt-in, as the pages
        of exports are. New events may come, and nobody gets them who has not subscribed to them: read{' '}
        <code>available_events</code>.
      </p>
      <Shell commands={commands} id="events" />
    </>
  );
}

function codes(values: readonly string[]): ComponentChildren {
  return values.flatMap((value, index) => [index === 0 ? '' : ' or ', <code key={value}>{value}</code>]);
}

/** A sentence of the OpenAPI document: what stands between backquotes is code. */
function marked(sentence: string): ComponentChildren {
  return sentence.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}

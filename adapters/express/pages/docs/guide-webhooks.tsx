import { CopyText, DataTable } from '../design/components.js';
import { type GuideContent, Shell } from './guide-shell.js';

/** Verifying the signature. */
export function Webhooks({ receivers, serviceName }: GuideContent) {
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

/** Changing the secret without a dropped event. */
export function Rotating({ commands, serviceName }: GuideContent) {
  const header = `X-${serviceName.replaceAll(' ', '-')}-Signature`;
  return (
    <>
      <p>
        <code>regenerate_secret</code> alone replaces the secret at once, and your endpoint rejects our
        requests until it has the new one. To rotate the secret without missing an event:
      </p>
      <ol>
        <li>
          Make sure that your endpoint can hold two secrets and accepts a request that either of them
          verifies. The receivers above take both in <code>WEBHOOK_SECRET</code>, separated by a comma, and{' '}
          <code>verifyWebhook</code> of <code>@rollcall/contracts</code> takes a list.
        </li>
        <li>
          Regenerate the secret with <code>overlap_hours</code> (1 to 168), or on the webhooks page. Until the
          overlap ends, <code>{header}</code> is made with the old secret, and <code>webhook-signature</code>{' '}
          has a signature of each.
        </li>
        <li>Give your endpoint both secrets, on every server.</li>
        <li>
          Finish the rotation, or wait for its end. From then on, only the new secret is used. Requests that
          were sent just before may still arrive, so wait a minute before you remove the old one from your
          endpoint. While a rotation is under way, GET of the webhook has <code>rotation</code> with its end.
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

/** Events that arrive twice. */
export function Idempotency({ serviceName }: GuideContent) {
  return (
    <p>
      An event can arrive more than once, because someone resent it or because a crash hid that it had
      arrived. Its bytes are the same each time, and so is its <code>event_id</code>, which is in the body and
      in the header <code>{`X-${serviceName.replaceAll(' ', '-')}-Event-Id`}</code>. Store the IDs that you
      have processed, and respond with 204 when one comes again.
    </p>
  );
}

/** Events that did not arrive. */
export function Redelivery({ commands }: GuideContent) {
  return (
    <>
      <p>
        Failed deliveries are not retried automatically. If your endpoint was down, find out why deliveries
        failed, fix it, and resend them with one call. Each keeps its body and its <code>event_id</code>. It
        goes to the URL that is configured at that time, signed with the secret current at that time.
      </p>
      <Shell commands={commands} id="failures" />
      <Shell commands={commands} id="redeliver" />
      <p>
        Admins see the same on the webhooks page, with what we sent and what your endpoint answered. Your
        program can get that too, below <code>/organizations/&lt;number&gt;/webhook</code>:
      </p>
      <DataTable
        caption="Other calls about deliveries"
        columns={[
          { title: 'Call', cell: ({ call }) => <code>{call}</code> },
          { title: 'What it does', cell: ({ does }) => does },
        ]}
        rows={deliveryCalls}
        keyOf={({ call }) => call}
      />
      <p>
        The people who run the service can also use <code>rollcall deliveries redeliver</code>.
      </p>
    </>
  );
}

const deliveryCalls = [
  {
    call: 'GET /deliveries/<id>',
    does: 'Shows the newest 20 attempts: each request as it was sent, with the beginning of your response.',
  },
  { call: 'POST /deliveries/<id>/redeliver', does: 'Resends one event.' },
  { call: 'POST /test', does: 'Sends a test event and responds with its result.' },
] as const;

/** The feed of events. */
export function Events({ commands }: GuideContent) {
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

import type { AttemptRequest, AttemptResponse, DeliveryView } from '@rollcall/core';
import { visibleUrl } from '@rollcall/core/adapters';
import { CopyText } from '../design/components.js';

type NumberedAttempt = DeliveryView['attempts'][number];

/** The phases in which no connection for the request exists yet. */
const unsent: readonly NumberedAttempt['phase'][] = ['address', 'lookup', 'connect', 'tls'];

/** The id of the heading of the last attempt. */
export const LAST_ATTEMPT = 'last-attempt';

interface RecordedAttemptsProps extends Pick<DeliveryView, 'attempts'> {
  /** The body of each request. Null if it is shown elsewhere. */
  readonly body: string | null;
}

/** The requests and responses of all attempts, the last one first. Earlier ones are folded. */
export function RecordedAttempts({ attempts, body }: RecordedAttemptsProps) {
  const newestFirst = attempts.toReversed();
  const [last, ...earlier] = newestFirst;
  const withBody = newestFirst.find(({ request }) => request !== null);
  const bodyOf = (attempt: NumberedAttempt) => (attempt === withBody ? body : null);
  return (
    <>
      {last !== undefined && (
        <section class="card" aria-labelledby={LAST_ATTEMPT}>
          <h2 id={LAST_ATTEMPT}>{`Attempt ${last.number}`}</h2>
          <Exchange attempt={last} body={bodyOf(last)} />
        </section>
      )}
      {earlier.map((attempt) => (
        <details key={attempt.number} class="card" open={attempt === withBody}>
          <summary>{`Attempt ${attempt.number}: ${attempt.reason}`}</summary>
          <Exchange attempt={attempt} body={bodyOf(attempt)} />
        </details>
      ))}
    </>
  );
}

interface ExchangeProps {
  readonly attempt: NumberedAttempt;
  /** Null if another attempt shows it: every attempt sends the same body. */
  readonly body: string | null;
}

/** What was sent, and beside it what came back. */
function Exchange({ attempt, body }: ExchangeProps) {
  const { number, phase, request, response } = attempt;
  if (request === null && response === null)
    return <p>The request and the response of this attempt were not recorded.</p>;
  return (
    <div class="two-columns exchange">
      <div>
        <h3>Request</h3>
        {unsent.includes(phase) && <p>The connection failed, so this was not sent.</p>}
        {request !== null && <SentRequest number={number} request={request} />}
        {body !== null && <RequestBody text={body} isSent={!unsent.includes(phase)} />}
        {request !== null && body === null && <p>The body was the same.</p>}
      </div>
      <div>
        <h3>Response</h3>
        {response === null ? <p>No response.</p> : <Response attempt={attempt} response={response} />}
      </div>
    </div>
  );
}

/** Shows the body of the request formatted, and byte for byte as signed. */
export function RequestBody({ text, isSent }: { readonly text: string; readonly isSent: boolean }) {
  return (
    <>
      <CopyText id="body-pretty" label="Body (formatted)" text={formatted(text)} isLong />
      <CopyText
        id="body-exact"
        label={isSent ? 'Body (exactly as signed and sent)' : 'Body (exactly as it would be sent)'}
        text={text}
        isLong
      />
    </>
  );
}

function formatted(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}

interface SentRequestProps {
  readonly number: number;
  readonly request: AttemptRequest;
}

export function SentRequest({ number, request }: SentRequestProps) {
  return (
    <>
      <CopyText id={`request-url-${number}`} label="POST to" text={visibleUrl(request.url)} />
      <CopyText
        id={`request-headers-${number}`}
        label="Request headers"
        text={linesOf(request.headers)}
        isLong
      />
    </>
  );
}

function Response({
  attempt: { number, status },
  response: { headers, body, isTruncated },
}: {
  readonly attempt: NumberedAttempt;
  readonly response: AttemptResponse;
}) {
  return (
    <>
      <p>{`Status ${status}`}</p>
      {Object.keys(headers).length > 0 && (
        <CopyText
          id={`response-headers-${number}`}
          label="Response headers"
          text={printable(linesOf(headers))}
          isLong
        />
      )}
      {body === '' ? (
        <p>{isTruncated ? 'The body did not arrive.' : 'The response had no body.'}</p>
      ) : (
        <CopyText id={`response-body-${number}`} label="Response body" text={printable(body)} isLong />
      )}
      {isTruncated && body !== '' && (
        <p class="field-help">There was more, or the end did not arrive. We keep the first 8 KiB.</p>
      )}
    </>
  );
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** A page cannot contain U+0000. */
function printable(text: string): string {
  return text.replaceAll('\u0000', '␀');
}

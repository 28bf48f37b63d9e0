import type { AttemptRequest, AttemptResponse, DeliveryView } from '@rollcall/core';
import { visibleUrl } from '@rollcall/core/adapters';
import { Card, CopyText } from '../design/components.js';

export type NumberedAttempt = DeliveryView['attempts'][number];

/** The phases in which no connection for the request exists yet. */
const unsent: readonly NumberedAttempt['phase'][] = ['address', 'lookup', 'connect', 'tls'];

/** Whether the receiver may have read something of it. */
export function wasSent({ phase, request }: NumberedAttempt): boolean {
  return request !== null && !unsent.includes(phase);
}

/** The requests and responses of all attempts, the last one first. Earlier ones are folded. */
export function RecordedAttempts({ attempts }: Pick<DeliveryView, 'attempts'>) {
  const [last, ...earlier] = attempts.toReversed();
  return (
    <>
      {last !== undefined && (
        <Card id="last-attempt" title={`Attempt ${last.number}`}>
          <Exchange {...last} />
        </Card>
      )}
      {earlier.map((attempt) => (
        <details key={attempt.number} class="card">
          <summary>{`Attempt ${attempt.number}: ${attempt.reason}`}</summary>
          <Exchange {...attempt} />
        </details>
      ))}
    </>
  );
}

/** What was sent, and beside it what came back. */
function Exchange(attempt: NumberedAttempt) {
  const { number, phase, request, response } = attempt;
  if (request === null && response === null)
    return <p>The request and the response of this attempt were not recorded.</p>;
  if (unsent.includes(phase))
    return (
      <p>{`There was no connection to ${request === null ? 'the endpoint' : visibleUrl(request.url)}, so nothing was sent.`}</p>
    );
  return (
    <div class="columns wide exchange">
      <div>
        <h3>Request</h3>
        {request !== null && <SentRequest number={number} request={request} />}
      </div>
      <div>
        <h3>Response</h3>
        {response === null ? <p>No response.</p> : <Response {...attempt} {...response} />}
      </div>
    </div>
  );
}

export function SentRequest({ number, request }: Readonly<{ number: number; request: AttemptRequest }>) {
  return (
    <>
      <CopyText id={`request-url-${number}`} label="POST to" text={visibleUrl(request.url)} />
      <LongText number={number} label="Request headers" text={linesOf(request.headers)} />
    </>
  );
}

function Response({ number, status, headers, body, isTruncated }: NumberedAttempt & AttemptResponse) {
  return (
    <>
      <p>{`Status ${status}`}</p>
      {Object.keys(headers).length > 0 && (
        <LongText number={number} label="Response headers" text={linesOf(headers)} />
      )}
      {body === '' ? (
        <p>{isTruncated ? 'The body did not arrive.' : 'The response had no body.'}</p>
      ) : (
        <LongText number={number} label="Response body" text={body} />
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
function LongText({ number, label, text }: Readonly<{ number: number; label: string; text: string }>) {
  const id = `${label.toLowerCase().replace(' ', '-')}-${number}`;
  return <CopyText id={id} label={label} text={text.replaceAll('\u0000', '␀')} isLong />;
}

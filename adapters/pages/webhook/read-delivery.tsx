import type { Attempt, DeliveryView, WebhookRequest } from '@rollcall/core';
import type { Request } from 'express';
import type { Dashboard } from '../dashboard.js';
import { Form } from '../design/form.js';
import { Notice } from '../design/layout.js';
import { leaveNotice, takeNotice } from '../design/notice.js';
import { Badge, type Column, CopyText, DataTable } from '../design/parts.js';
import { Moment, type TimeZone, ZoneNote } from '../design/times.js';
import type { Page } from '../page.js';
import { PageError } from '../page-error.js';
import { byVisitor, inOrganization, showTo, type Visit } from '../visit.js';
import { StateBadge } from './delivery-log.js';
import { adviceOn, durationWords, phaseWords, resultOf } from './delivery-words.js';
import { deliveryPath, webhookDoor, webhookPath } from './webhook-paths.js';

/** One event with what was sent and what came of it; its form sends it again. */
export function readDelivery(dashboard: Dashboard): Page {
  const { core } = dashboard;
  return {
    path: '/organizations/:id/webhooks/deliveries/:deliveryId',
    get: inOrganization(dashboard, webhookDoor, async (visit) => {
      const { organization, request, response } = visit;
      const [delivery, webhook] = await Promise.all([
        core.readDelivery({ organization, deliveryId: deliveryIn(request) }),
        core.readWebhook({ organization }),
      ]);
      const notice = takeNotice(dashboard, request, response);
      const isOff = webhook?.enabled !== true;
      showTo(visit, dashboard, {
        title: `Delivery ${delivery.id}`,
        body: <DeliveryPage {...{ visit, delivery, isOff, notice }} />,
      });
    }),
    post: inOrganization(dashboard, webhookDoor, async (visit) => {
      const { organization, request, response } = visit;
      const deliveryId = deliveryIn(request);
      await core.redeliver({ organization, deliveryId, by: byVisitor(visit) });
      leaveNotice(dashboard, response, 'delivery-redelivered');
      response.redirect(303, deliveryPath(organization.id, deliveryId));
    }),
  };
}

/** The number as it is written; anything else is no delivery. */
function deliveryIn(request: Request): number {
  const text = String(request.params.deliveryId);
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new PageError('not-found');
  return Number(text);
}

interface DeliveryPageProps {
  readonly visit: Visit;
  readonly delivery: DeliveryView;
  readonly isOff: boolean;
  readonly notice: string | null;
}

function DeliveryPage({ visit, delivery, isOff, notice }: DeliveryPageProps) {
  const { id, isTest, attempts, request, body } = delivery;
  return (
    <>
      {notice !== null && <Notice>{notice}</Notice>}
      <p class="way-back">
        <a href={webhookPath(visit.organization.id)}>All deliveries</a>
      </p>
      <h1>
        {`Delivery ${id}`} {isTest && <Badge tone="over">Test</Badge>}
      </h1>
      <Outcome {...{ visit, delivery, isOff }} />
      <section aria-labelledby="attempts">
        <h2 class="list-title" id="attempts">
          Attempts
        </h2>
        {attempts.length === 0 ? (
          <p>Nothing was sent.</p>
        ) : (
          <>
            <DataTable
              caption="Attempts"
              columns={columnsFor(visit.zone)}
              rows={attempts}
              keyOf={({ number }) => number}
            />
            <ZoneNote zone={visit.zone} />
          </>
        )}
      </section>
      <section class="card" aria-labelledby="request">
        <h2 id="request">Request</h2>
        <SentRequest request={request} />
        <Body text={body} />
      </section>
    </>
  );
}

type OutcomeProps = Pick<DeliveryPageProps, 'visit' | 'delivery' | 'isOff'>;

function Outcome({ visit: { organization, zone, signedIn }, delivery, isOff }: OutcomeProps) {
  const { id, state, eventName, eventId, createdAt, isTest } = delivery;
  const result = resultOf(delivery);
  const advice = state === 'failed' || state === 'held' ? adviceOn(result) : null;
  const path = deliveryPath(organization.id, id);
  return (
    <section class="card" aria-label="What came of it">
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <StateBadge state={state} />
        </dd>
        <dt>Result</dt>
        <dd>
          <span class="result">{result}</span>
          {advice !== null && <p class="field-help">{advice}</p>}
        </dd>
        <dt>Event</dt>
        <dd>
          <code>{eventName}</code>
        </dd>
        <dt>Event id</dt>
        <dd>
          <code>{eventId}</code>
        </dd>
        <dt>Time</dt>
        <dd>
          <Moment moment={createdAt} zone={zone} />
        </dd>
      </dl>
      {state === 'pending' || state === 'sending' ? (
        <p>
          It is sent within seconds. <a href={path}>Look again</a>
        </p>
      ) : (
        <Form action={path} token={signedIn.formToken}>
          <p>
            {isOff && !isTest
              ? 'The webhook is switched off: switch it on first, or this is skipped.'
              : 'Sent again, it has the same body and event id, and goes to the current URL.'}
          </p>
          <div class="actions">
            <button type="submit">Send it again</button>
          </div>
        </Form>
      )}
    </section>
  );
}

type NumberedAttempt = Attempt & { readonly number: number };

function columnsFor(zone: TimeZone): readonly Column<NumberedAttempt>[] {
  return [
    { title: 'Attempt', cell: ({ number }) => number },
    { title: 'Time', cell: ({ startedAt }) => <Moment moment={startedAt} zone={zone} /> },
    { title: 'Result', cell: ({ reason }) => <span class="result">{reason}</span> },
    { title: 'Answer', cell: ({ status }) => status ?? 'None' },
    { title: 'How far it came', cell: ({ phase }) => (phase === null ? 'Unknown' : phaseWords[phase]) },
    { title: 'Duration', cell: ({ duration }) => durationWords(duration), isNumber: true },
  ];
}

function SentRequest({ request }: { readonly request: WebhookRequest | null }) {
  if (request === null)
    return <p>No request can be made now: there is no URL, or the secret can’t be read.</p>;
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <>
      <p>
        As it would be sent now, signed with the current secret. An earlier attempt may have gone to another
        URL.
      </p>
      <CopyText id="request-url" label="URL, to which it is sent by POST" text={request.url} />
      <CopyText id="request-headers" label="Headers" text={headers.join('\n')} isLong />
    </>
  );
}

/** For reading, and byte for byte as it is signed. */
function Body({ text }: { readonly text: string }) {
  return (
    <>
      <CopyText id="body-pretty" label="Body, for reading" text={prettyOf(text)} isLong />
      <CopyText id="body-exact" label="Body, exactly as it is signed and sent" text={text} isLong />
    </>
  );
}

function prettyOf(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}

import type { Attempt, DeliveryView } from '@rollcall/core';
import { BackLink, Badge, type Column, DataTable, Facts, OnThisPage } from '../design/components.js';
import { Timestamp, type TimeZone, ZoneNote } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { canonicalId, type MemberVisit } from '../visit.js';
import { adviceFor, formatDuration, phaseLabels, resultOf } from './delivery-texts.js';
import { RELOAD_AFTER_MS, StateBadge } from './list-deliveries.js';
import { LAST_ATTEMPT, RecordedAttempts, RequestBody, SentRequest } from './recorded-attempt.js';
import { RedeliverForm, redeliver } from './redeliver.js';

/** One delivery with its result, and what each attempt sent and got. The form resends it. */
export const readDelivery = memberPage({
  path: paths.delivery(':id', ':deliveryId'),
  section: 'webhooks',
  async get(visit) {
    const { core, organization, request } = visit;
    const [delivery, webhook] = await Promise.all([
      core.readDelivery({ organization, deliveryId: canonicalId(request.params.deliveryId) }),
      core.readWebhook({ organization }),
    ]);
    const isOff = webhook?.enabled !== true;
    const notice = visit.consumeNotice();
    visit.show({
      title: `Delivery ${delivery.id}`,
      notice,
      body: <DeliveryPage {...{ visit, delivery, isOff }} wasResent={notice !== null} />,
    });
  },
  post: redeliver,
});

interface DeliveryPageProps {
  readonly visit: MemberVisit;
  readonly delivery: DeliveryView;
  readonly isOff: boolean;
  /** Whether the reader has just asked for it. */
  readonly wasResent: boolean;
}

function DeliveryPage({ visit, delivery, isOff, wasResent }: DeliveryPageProps) {
  const { id, isTest, attemptCount, attempts, request, body } = delivery;
  const isRecorded = attempts.some((attempt) => attempt.request !== null);
  return (
    <>
      <BackLink href={paths.webhooks(visit.organization.id)}>All deliveries</BackLink>
      <h1>
        {`Delivery ${id}`} {isTest && <Badge tone="neutral">Test</Badge>}
      </h1>
      <OnThisPage parts={partsOf(attempts, isRecorded)} />
      <Outcome {...{ visit, delivery, isOff, wasResent }} />
      <section aria-labelledby="attempts">
        <h2 class="list-title" id="attempts">
          Attempts
        </h2>
        {attempts.length === 0 ? (
          <p>No attempts.</p>
        ) : (
          <>
            {attemptCount > attempts.length && (
              <p>{`The newest ${attempts.length} of ${attemptCount} attempts.`}</p>
            )}
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
      {isRecorded ? (
        <RecordedAttempts attempts={attempts} body={body} />
      ) : (
        <>
          <RecordedAttempts attempts={attempts} body={null} />
          <section class="card" aria-labelledby="request">
            <h2 id="request">Request</h2>
            <RequestNow request={request} />
            <RequestBody text={body} isSent={false} />
          </section>
        </>
      )}
    </>
  );
}

function partsOf(attempts: DeliveryView['attempts'], isRecorded: boolean) {
  const last = attempts.at(-1);
  return [
    { id: 'summary', title: 'Summary' },
    { id: 'attempts', title: 'Attempts' },
    ...(last === undefined ? [] : [{ id: LAST_ATTEMPT, title: `Attempt ${last.number}` }]),
    ...(isRecorded ? [] : [{ id: 'request', title: 'Request' }]),
  ];
}

function Outcome({ visit: { organization, zone, signedIn }, delivery, isOff, wasResent }: DeliveryPageProps) {
  const { id, state, eventName, eventId, createdAt, isTest } = delivery;
  const result = resultOf(delivery);
  const advice = state === 'failed' || state === 'held' ? adviceFor(result) : null;
  const path = paths.delivery(organization.id, id);
  return (
    <section class="card" id="summary" aria-label="Summary">
      <Facts
        of={{
          State: <StateBadge state={state} />,
          Result: (
            <>
              <span class="result">{result}</span>
              {advice !== null && <p class="field-help">{advice}</p>}
            </>
          ),
          Event: <code>{eventName}</code>,
          'Event ID': <code>{eventId}</code>,
          Time: <Timestamp at={createdAt} zone={zone} hasSeconds />,
        }}
      />
      {state === 'pending' || state === 'sending' ? (
        <p>
          This will be sent within seconds.{' '}
          <a href={path} data-reload-after={wasResent ? RELOAD_AFTER_MS : undefined}>
            Refresh
          </a>
        </p>
      ) : (
        <RedeliverForm
          action={path}
          token={signedIn.formToken}
          willBeSkipped={isOff && !isTest}
          settingsPath={`${paths.webhooks(organization.id)}#settings`}
        />
      )}
    </section>
  );
}

type NumberedAttempt = Attempt & { readonly number: number };

function columnsFor(zone: TimeZone): readonly Column<NumberedAttempt>[] {
  return [
    { title: 'Attempt', cell: ({ number }) => number, isLabelled: true },
    { title: 'Time', cell: ({ startedAt }) => <Timestamp at={startedAt} zone={zone} hasSeconds /> },
    { title: 'Result', cell: ({ reason }) => <span class="result">{reason}</span> },
    { title: 'Status', cell: ({ status }) => status ?? 'None' },
    {
      title: 'Stage reached',
      cell: ({ phase }) => (phase === null ? 'Unknown' : <span class="result">{phaseLabels[phase]}</span>),
    },
    { title: 'Duration', cell: ({ duration }) => formatDuration(duration), isNumber: true },
  ];
}

function RequestNow({ request }: Pick<DeliveryView, 'request'>) {
  if (request === null)
    return <p>There is no request to show: no URL is saved, or the secret can’t be read.</p>;
  return (
    <>
      <p>As it would be sent now, signed with the current secret.</p>
      <SentRequest number={0} request={request} />
    </>
  );
}

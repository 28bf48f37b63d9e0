import type { DeliveryView } from '@rollcall/core';
import { BackLink, Badge, Card, type Column, CopyText, DataTable, Facts } from '../design/components.js';
import { Form, HiddenFields, Submit } from '../design/form.js';
import { Sides } from '../design/list.js';
import { TextWithOperator } from '../design/operator.js';
import { Timestamp, ZoneNote } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths, withQuery } from '../paths.js';
import { listPath } from '../place.js';
import { canonicalId, type PartProps } from '../visit.js';
import { adviceFor, formatDuration, phaseLabels, resultOf, subjectOf } from './delivery-texts.js';
import { Person, RELOAD_AFTER_MS, StateBadge } from './list-deliveries.js';
import { type NumberedAttempt, RecordedAttempts, SentRequest, wasSent } from './recorded-attempt.js';
import { redeliver } from './redeliver.js';

/** One delivery with its result, and what each attempt sent and got. The form resends it. */
export const readDelivery = memberPage({
  path: paths.delivery(':id', ':deliveryId'),
  async get(visit) {
    const { core, organization, request } = visit;
    const key = { organization, deliveryId: canonicalId(request.params.deliveryId) };
    const [delivery, webhook, neighbors] = await Promise.all([
      core.readDelivery(key),
      core.readWebhook({ organization }),
      core.neighboringDeliveries(key),
    ]);
    const isOff = webhook?.enabled !== true;
    const notice = visit.consumeNotice();
    const wasResent = notice?.name === 'delivery-redelivered';
    visit.show(
      { title: `Delivery ${delivery.id}`, notice },
      <DeliveryPage {...{ visit, delivery, neighbors, isOff, wasResent }} />,
    );
  },
  post: redeliver,
});

type DeliveryPageProps = PartProps<{
  delivery: DeliveryView;
  /** The ids of those beside it in the log. */
  neighbors: Readonly<Record<'newer' | 'older', number | null>>;
  isOff: boolean;
  /** Whether the reader has just asked for it. */
  wasResent: boolean;
}>;

function DeliveryPage(props: DeliveryPageProps) {
  const { visit, delivery } = props;
  const { newer, older } = props.neighbors;
  const pathOf = (deliveryId: number) => paths.delivery(visit.organization.id, deliveryId);
  const { id, isTest, attemptCount, attempts, request, body } = delivery;
  const columns: readonly Column<NumberedAttempt>[] = [
    { title: 'Attempt', cell: ({ number }) => number, isLabelled: true },
    { title: 'Time', cell: ({ startedAt }) => <Timestamp at={startedAt} zone={visit.zone} hasSeconds /> },
    { title: 'Result', cell: ({ reason }) => <span class="result">{reason}</span> },
    { title: 'Status', cell: ({ status }) => status ?? 'None' },
    {
      title: 'Stage reached',
      cell: ({ phase }) => (phase === null ? 'Unknown' : <span class="result">{phaseLabels[phase]}</span>),
    },
    { title: 'Duration', cell: ({ duration }) => formatDuration(duration), isNumber: true },
  ];
  const isRecorded = attempts.some((attempt) => attempt.request !== null);
  return (
    <>
      <BackLink href={`${listPath(visit, paths.webhooks(visit.organization.id))}#log`}>Deliveries</BackLink>
      <Sides
        label="Deliveries beside this one"
        before={newer === null ? null : { href: pathOf(newer), text: 'Newer delivery', rel: 'prev' }}
        after={older === null ? null : { href: pathOf(older), text: 'Older delivery', rel: 'next' }}
      />
      <h1>
        {`Delivery ${id}`} {isTest && <Badge tone="neutral">Test</Badge>}
      </h1>
      <Outcome {...props} />
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
            <DataTable caption="Attempts" columns={columns} rows={attempts} />
            <ZoneNote zone={visit.zone} />
          </>
        )}
      </section>
      <RecordedAttempts attempts={attempts} />
      {!isRecorded && (
        <Card id="request" title="Request">
          {request === null ? (
            <p>There is no request to show: no URL is saved, or the secret can’t be read.</p>
          ) : (
            <>
              <p>As it would be sent now, signed with the current secret.</p>
              <SentRequest number={0} request={request} />
            </>
          )}
        </Card>
      )}
      <Card id="body" title="Body">
        <CopyText
          id="body-exact"
          label={attempts.some(wasSent) ? 'Exactly as signed and sent' : 'Exactly as it would be sent'}
          text={body}
          isLong
        />
      </Card>
    </>
  );
}

function Outcome({ visit, delivery, isOff, wasResent }: DeliveryPageProps) {
  const { organization, zone, signedIn } = visit;
  const { id, state, eventName, eventId, createdAt, isTest } = delivery;
  const result = resultOf(delivery);
  const advice = state === 'failed' || state === 'held' ? adviceFor(result) : null;
  const path = paths.delivery(organization.id, id);
  const subject = subjectOf(delivery);
  const search = subject.at(-1) ?? '';
  // That of a test is made up, and one that was cut finds nobody.
  const isFound = !isTest && !search.endsWith('…');
  const person = <Person {...delivery} />;
  return (
    <section class="card" id="summary" aria-label="Summary">
      <Facts
        of={{
          State: <StateBadge state={state} />,
          Result: (
            <>
              <span class="result">{result}</span>
              {advice !== null && (
                <p class="field-help">
                  <TextWithOperator visit={visit} text={advice} />
                </p>
              )}
            </>
          ),
          Person:
            subject.length > 0 &&
            (isFound ? <a href={withQuery(paths.people(organization.id), { search })}>{person}</a> : person),
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
        <Form action={path} token={signedIn.formToken}>
          <p>
            {isOff && !isTest ? (
              <>
                The webhook is off. <a href={paths.webhookSettings(organization.id)}>Turn it on</a> first, or
                this will be skipped.
              </>
            ) : (
              'Resending uses the same body and event ID, and the current URL and signing secret.'
            )}
          </p>
          <Submit label="Resend" />
        </Form>
      )}
      {state === 'failed' && !isTest && (
        <Form action={paths.dismissFailed(organization.id)} token={signedIn.formToken}>
          <HiddenFields fields={{ delivery: String(id) }} />
          <p>Nobody needs it any more? Then it need not be counted as undelivered.</p>
          <Submit label="Dismiss" kind="secondary" />
        </Form>
      )}
    </section>
  );
}

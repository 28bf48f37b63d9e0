import type { PortsOf } from '../deps.js';
import { readDeps } from '../read-deps.js';
import type { WebhooksOptions } from '../settings.js';
import { type ConfigureWebhook, configureWebhook } from './configure-webhook.js';
import { countDeliveries } from './count-deliveries.js';
import { type DeliverWebhooks, deliverWebhooks } from './deliver-webhooks.js';
import { type DropHeld, dropHeld } from './drop-held.js';
import { type FinishRotation, finishRotation } from './finish-rotation.js';
import { type ListDeliveries, listDeliveries } from './list-deliveries.js';
import { type ListDeliveryLog, listDeliveryLog } from './list-delivery-log.js';
import type { MatchingDeliveries } from './matching-deliveries.js';
import { type ReadDelivery, readDelivery } from './read-delivery.js';
import { type ReadEvents, readEvents } from './read-events.js';
import { type ReadWebhook, readWebhook } from './read-webhook.js';
import { type ReadWebhookHealth, readWebhookHealth } from './read-webhook-health.js';
import { type RecoverDeliveries, recoverDeliveries } from './recover-deliveries.js';
import { type Redeliver, redeliver } from './redeliver.js';
import { type RedeliverFailed, redeliverFailed } from './redeliver-failed.js';
import { type RedeliverMatching, redeliverMatching } from './redeliver-matching.js';
import { type TestWebhook, testWebhook } from './test-webhook.js';

/** The ports and settings that the use-cases of this chapter need. */
export const webhooksNeeds = [
  'clock.now',
  'clock.pause',
  'deliveries.count',
  'deliveries.dropHeld',
  'deliveries.find',
  'deliveries.list',
  'deliveries.redeliver',
  'deliveries.redeliverMatching',
  'dispatcher.wake',
  'eventFeed.read',
  'ids.uuid',
  'limits.fail',
  'limits.forgive',
  'mailer.send',
  'outbox.claim',
  'outbox.finish',
  'outbox.recoverStale',
  'outbox.renew',
  'outbox.startTest',
  'secrets.decrypt',
  'secrets.encrypt',
  'secrets.newSigningSecret',
  'secrets.sign',
  'secrets.signBase64',
  'settings.serviceName',
  'settings.webhookFailureNotice',
  'webhookSender.refusalOf',
  'webhookSender.send',
  'webhooks.configure',
  'webhooks.health',
  'webhooks.of',
  'webhooks.takeFailureNotice',
] as const;

/** The parts of the ports that `createWebhooks` needs. */
export type WebhooksPorts = PortsOf<(typeof webhooksNeeds)[number]>;
/** What `createWebhooks` returns. */
export type WebhooksUseCases = ReturnType<typeof createWebhooks>;

/**
 * The webhook of an organization and the deliveries to it.
 *
 * @throws `TypeError` that names every port that is missing and every setting that is wrong.
 */
export function createWebhooks(ports: WebhooksPorts, options: WebhooksOptions = {}) {
  const deps = readDeps('createWebhooks', webhooksNeeds, { ports, options });
  return {
    /**
     * Reads the webhook's configuration without its secret, or returns null if there is none.
     *
     * @throws `TypeError` if `organization.id` is not an id.
     */
    readWebhook: (request: ReadWebhook) => readWebhook(deps, request),
    /**
     * Creates or changes the organization's one webhook.
     *
     * @throws `Refusal`: `invalid-webhook` with every problem, `webhook-outdated` if the configuration has changed
     * since `unchangedSince`, `organization-not-found`. `TypeError` if `how` is unknown.
     */
    configureWebhook: (request: ConfigureWebhook) => configureWebhook(deps, request),
    /**
     * Ends the use of the secret that the last rotation replaced, and returns the webhook, or null if there is none.
     *
     * @throws `TypeError` if `organization.id` is not an id.
     */
    finishRotation: (request: FinishRotation) => finishRotation(deps, request),
    /**
     * Claims pending deliveries from the outbox and starts one attempt for each. An attempt that could not begin for more
     * than 30 s begins only if the claim still holds its delivery.
     */
    deliverWebhooks: (request: DeliverWebhooks) => deliverWebhooks(deps, request),
    /** Makes deliveries that a crash interrupted pending again, with the same event id and body. */
    recoverDeliveries: (request: RecoverDeliveries) => recoverDeliveries(deps, request),
    /**
     * Lists deliveries, newest first, one page at a time.
     *
     * @throws `TypeError` if `organization` is neither null nor has an id, or `state` is unknown.
     */
    listDeliveries: (request: ListDeliveries) => listDeliveries(deps, request),
    /**
     * Lists deliveries for programs, newest first, with all their attempts. Unlike `listDeliveries`, it refuses a cursor
     * that it did not make.
     *
     * @throws `Refusal`: `invalid-request` for an unknown `after`. `TypeError` if `organization.id` is not an id, or a
     * state is unknown.
     */
    listDeliveryLog: (request: ListDeliveryLog) => listDeliveryLog(deps, request),
    /**
     * Sends an event again with the same event id and body, to the current URL with the current secret, in one attempt.
     *
     * @throws `Refusal`: `delivery-not-found`, also for a delivery of another organization; `delivery-erased` if the person
     * that the event tells of was erased; `too-many-requests` after ten tests of the organization in a minute.
     */
    redeliver: (request: Redeliver) => redeliver(deps, request),
    /**
     * Sends all failed events again, as `redeliver` does, except tests, and returns how many.
     *
     * @throws `TypeError` if `organization` is neither null nor has an id.
     */
    redeliverFailed: (request: RedeliverFailed) => redeliverFailed(deps, request),
    /**
     * Sends all matching events again, as `redeliver` does, except tests, and returns how many.
     *
     * @throws `TypeError` if `organization` is neither null nor has an id, or a state or the phase is unknown.
     */
    redeliverMatching: (request: RedeliverMatching) => redeliverMatching(deps, request),
    /**
     * Counts the events that `redeliverMatching` would send.
     *
     * @throws `TypeError` if `organization` is neither null nor has an id, or a state or the phase is unknown.
     */
    countDeliveries: (request: MatchingDeliveries) => countDeliveries(deps, request),
    /**
     * Ends held deliveries as skipped: they are not sent and stay in the log.
     *
     * @throws `TypeError` if `organization` is neither null nor has an id.
     */
    dropHeld: (request: DropHeld) => dropHeld(deps, request),
    /**
     * Reads one delivery with its newest 20 attempts.
     *
     * @throws `Refusal`: `delivery-not-found`, also for a delivery of another organization.
     */
    readDelivery: (request: ReadDelivery) => readDelivery(deps, request),
    /**
     * Reads the organization's events in the order in which they were committed, one page at a time. A reader who always
     * continues at `next` gets each event exactly once.
     *
     * @throws `Refusal`: `invalid-request` if `after` is not a cursor of this feed, `cursor-expired` (`CursorExpired`) if
     * events after it are no longer kept. `TypeError` if `organization.id` is not an id, or `order` or `event` is unknown.
     */
    readEvents: (request: ReadEvents) => readEvents(deps, request),
    /**
     * Sends an event about a made-up user now, and returns the result.
     *
     * @throws `Refusal`: `invalid-webhook` if the webhook has no URL, `too-many-requests` after ten tests in a minute,
     * `webhook-test-under-way`. `TypeError` if `organization.id` is not an id.
     */
    testWebhook: (request: TestWebhook) => testWebhook(deps, request),
    /**
     * Reads whether the webhook's latest deliveries have arrived.
     *
     * @throws `TypeError` if `organization.id` is not an id.
     */
    readWebhookHealth: (request: ReadWebhookHealth) => readWebhookHealth(deps, request),
  };
}

import { type Acting, checkActor } from '../access/acting.js';
import { auditEntries } from '../access/audit-entries.js';
import type { Organization } from '../access/ports/organizations.js';
import type { Uses } from '../deps.js';
import { Refusal, Unavailable } from '../errors.js';
import { checkId } from '../values/ids.js';
import { attemptDelivery, stateAfter } from './attempt-delivery.js';
import type { DeliveryReport } from './delivery-report.js';
import { countTest } from './limit-tests.js';
import { testRegistered } from './membership-events.js';
import { type AskStorage, prepareAttempt } from './prepare-attempt.js';
import { untilAvailable } from './until-available.js';

/** The request of `testWebhook`. */
export interface TestWebhook extends Acting {
  /** The organization that `authorize` or `authorizeMember` returned; its name is in the body of the test. */
  readonly organization: Pick<Organization, 'id' | 'name'>;
}

/**
 * Sends an event about a made-up user now, and returns the result. It is sent even if the webhook is disabled, and
 * appears in the log of deliveries. Another instance sends it only after a crash, or if this one was frozen or could not
 * reach its database for a minute. An organization may send 10 tests a minute, including those that it sends again.
 *
 * It is `skipped` if the URL is removed after it was stored. After `Unavailable`, the test may be stored, and is then sent
 * when the storage is back, by this instance or as after a crash.
 *
 * @throws `Refusal`: `invalid-webhook` if the webhook has no URL, `too-many-requests` after ten tests in a minute,
 * `webhook-test-under-way`. `TypeError` if `organization.id` is not an id.
 */
export async function testWebhook(
  deps: Uses<
    | 'clock.pause'
    | 'ids.uuid'
    | 'limits.consume'
    | 'outbox.finish'
    | 'outbox.renew'
    | 'outbox.startTest'
    | 'webhooks.of'
    | typeof attemptDelivery
  >,
  { organization, by }: TestWebhook,
): Promise<DeliveryReport> {
  const { webhooks, outbox, ids, clock } = deps;
  checkActor(by);
  checkId('organization.id', organization.id);
  const webhook = await webhooks.of(organization.id);
  if (webhook === null || webhook.url === null) {
    throw new Refusal('invalid-webhook', [
      { field: 'webhook.url', code: 'required', message: 'is required before a test can be sent' },
    ]);
  }
  await countTest(deps, organization.id);

  const at = clock.now();
  const event = testRegistered(organization, { id: ids.uuid(), at });
  const delivery = await outbox.startTest({ event, claim: ids.uuid(), at }, (started) => {
    const { organizationId, eventId: subject } = started;
    const objectId = String(started.deliveryId);
    return auditEntries({ by, at }, { organizationId, action: 'webhook-tested', subject, objectId });
  });
  if (delivery === null) {
    throw new Refusal('webhook-test-under-way', 'A test of this webhook is under way already');
  }
  const { deliveryId, claim, eventId, organizationId } = delivery;

  const send = async (ask: AskStorage): Promise<DeliveryReport> => {
    const prepared = await prepareAttempt(deps, { delivery, claimedAt: at }, ask);
    if (prepared === null) {
      throw new Refusal('webhook-test-under-way', 'Another instance has taken this test over');
    }
    const { attempt, ...ended } = await attemptDelivery(deps, { delivery, webhook: prepared.webhook });
    const state = stateAfter(attempt);
    const write = () => outbox.finish({ deliveryId, claim, state, attempt, at: clock.now() });
    await write().catch((failure) => inBackground(failure, () => untilAvailable(deps, write)));
    return { deliveryId, eventId, organizationId, state, attempt, ...ended, notice: null };
  };
  return send((call) => call()).catch((failure) => {
    inBackground(failure, () => send((call) => untilAvailable(deps, call)));
    throw failure;
  });
}

/**
 * The caller does not wait for a database that is unavailable. What is left to do goes on without them; if the process ends
 * or something else fails before that, the claim is recovered as after a crash. Throws any other failure.
 */
function inBackground(failure: unknown, goOn: () => Promise<unknown>): void {
  if (!(failure instanceof Unavailable)) throw failure;
  goOn().catch(() => {});
}

import type { Clock } from '../../../ports.js';
import type { AttemptPhase } from '../../../webhooks/ports/deliveries.js';
import type { SentAttempt, WebhookRequest, WebhookSender } from '../../../webhooks/ports/webhook-sender.js';
import { suiteAuthority } from '../../certificates.js';
import { type ContractTest, expectEqual, expectTrue, promise } from '../../expect.js';
import {
  type NodeServers,
  type Receiver,
  type ReceiverOptions,
  type ReceiverSocket,
  startPlainReceiver,
  startReceiver,
} from '../../webhook-receiver.js';

/** How a suite starts the sender of a test. */
export interface SenderSettings {
  /** The PEM text of a certificate authority to trust besides the usual ones. */
  readonly authority: string;
  /** The IP addresses that may receive webhooks although they are not public. */
  readonly allowedAddresses: readonly string[];
}

/** Starts a sender with these settings. A test can start several; none of them is stopped. */
export type StartSender = (settings: SenderSettings) => Promise<WebhookSender>;

/** What the suite of `WebhookSender` needs. It starts receivers on 127.0.0.1. */
export interface SenderSuiteOptions extends NodeServers {
  /** Starts the sender under test, which trusts the given authority and may connect to the given addresses. */
  readonly start: StartSender;
  /** The real time. */
  readonly clock: Clock;
  /** The longest time that an attempt may take. Shorter limits make the suite faster; the default is 16,000. */
  readonly maxAttemptMs?: number;
}

/** The receivers of one test, and the requests to them. */
export interface SenderTrial {
  readonly clock: Clock;
  receiver(options?: ReceiverOptions): Promise<Receiver>;
  plainReceiver(onConnection: (socket: ReceiverSocket) => void): Promise<Receiver>;
  /**
   * Sends with the sender of the test, which can reach the receivers, and checks what every attempt must keep: it ends
   * in time without an error, and its result has a valid form.
   */
  send(url: string, changes?: Partial<WebhookRequest>): Promise<SentAttempt>;
  /** Sends with another sender, and checks the same. */
  sendWith(sender: WebhookSender, url: string, changes?: Partial<WebhookRequest>): Promise<SentAttempt>;
  /** Waits until no connection is open; fails if one stays open. */
  expectClosed(receiver: Receiver): Promise<void>;
}

/** The body of the requests. Its spaces and its characters beyond ASCII must arrive unchanged. */
export const sampleBody = '{ "event": "something", "user": {"first_name":"Zoë","last_name":"Ōno 🌍"} }\n';

/** For a timer that fires late on a busy machine. */
const TOLERANCE_MS = 1_000;

/** Makes a test of `WebhookSender`. Its receivers are stopped even if it fails. */
export type MakeSenderTest = (name: string, work: (trial: SenderTrial) => Promise<void>) => ContractTest;

export function senderTests({
  start,
  clock,
  net,
  tls,
  maxAttemptMs = 16_000,
}: SenderSuiteOptions): MakeSenderTest {
  return (name, work) =>
    promise(`WebhookSender: ${name}`, async () => {
      const receivers: Receiver[] = [];
      const keep = (receiver: Receiver): Receiver => {
        receivers.push(receiver);
        return receiver;
      };
      const sendWith: SenderTrial['sendWith'] = async (sender, url, changes = {}) => {
        const started = clock.now().getTime();
        const request = { url, headers: {}, body: sampleBody, ...changes };
        const result = await sendInTime(sender, request, clock, maxAttemptMs);
        checkForm(result, { request, elapsedMs: clock.now().getTime() - started });
        return result;
      };
      let own: Promise<WebhookSender> | undefined;
      try {
        await work({
          clock,
          receiver: async (options) => keep(await startReceiver({ tls }, options)),
          plainReceiver: async (onConnection) => keep(await startPlainReceiver({ net }, onConnection)),
          async send(url, changes) {
            own ??= start(reachable);
            return sendWith(await own, url, changes);
          },
          sendWith,
          expectClosed: (receiver) => expectClosed(receiver, clock),
        });
      } finally {
        await Promise.all(receivers.map((receiver) => receiver.stop()));
      }
    });
}

/** The settings under which the receivers of a test can be reached. */
export const reachable: SenderSettings = { authority: suiteAuthority, allowedAddresses: ['127.0.0.1'] };

/** The settings of a sender that connects to public addresses only. */
export const publicOnly: SenderSettings = { authority: suiteAuthority, allowedAddresses: [] };

/** Fails unless the attempt was delivered or failed in this way. */
export function expectResult(
  { outcome, phase, status }: SentAttempt,
  expected: Pick<SentAttempt, 'outcome' | 'phase' | 'status'>,
  what = 'the result',
): void {
  expectEqual({ [what]: { outcome, phase, status } }, { [what]: expected });
}

export const delivered = { outcome: 'delivered', phase: 'answer', status: 200 } as const;

export function failedAt(phase: AttemptPhase) {
  return { outcome: 'failed', phase, status: null } as const;
}

async function sendInTime(
  sender: WebhookSender,
  request: WebhookRequest,
  clock: Clock,
  maxAttemptMs: number,
): Promise<SentAttempt> {
  const deadline = clock.now().getTime() + maxAttemptMs + TOLERANCE_MS;
  let isOver = false;
  const sending = (async () => sender.send(request))()
    .catch((error: unknown) => {
      throw new Error(`send threw ${String(error)}`, { cause: error });
    })
    .finally(() => {
      isOver = true;
    });
  // Pauses are short, so that no timer is left after the attempt.
  const overdue = async (): Promise<never> => {
    while (clock.now().getTime() < deadline) {
      await clock.pause(20);
      if (isOver) return sending as Promise<never>;
    }
    sending.catch(() => {});
    throw new Error(`The attempt did not end within ${maxAttemptMs} ms`);
  };
  return Promise.race([sending, overdue()]);
}

/** Checks what holds for every result. */
function checkForm(
  { code, ...result }: SentAttempt,
  { request, elapsedMs }: { readonly request: WebhookRequest; readonly elapsedMs: number },
): void {
  const keys = ['duration', 'outcome', 'phase', 'reason', 'request', 'response', 'status'];
  expectEqual(Object.keys(result).sort(), keys);
  expectTrue(code === undefined || /^\w+$/.test(code), `the code is ${code}`);
  checkRecord(result, request);
  const { duration, reason } = result;
  const isDuration = duration !== null && Number.isInteger(duration) && duration >= 0;
  // The sender may use another clock.
  expectTrue(
    isDuration && duration <= elapsedMs + 20,
    `the duration is ${duration} after an attempt of ${elapsedMs} ms`,
  );
  expectTrue(reason !== '' && !reason.includes('\n'), 'the reason is not a line of text');
  const port = /:(\d+)/.exec(request.url)?.[1] ?? 'no port';
  const isAddress = /\d+\.\d+\.\d+\.\d+|::1|localhost/.test(reason) || reason.includes(port);
  expectTrue(!isAddress, `the reason contains an address: ${reason}`);
}

/** Checks what holds for every recorded request and response. */
function checkRecord({ status, request, response }: Omit<SentAttempt, 'code'>, sent: WebhookRequest): void {
  const given = Object.keys(sent.headers).map((name) => [name, request.headers[name]]);
  expectEqual(
    { url: request.url, headers: Object.fromEntries(given) },
    { url: sent.url, headers: sent.headers },
  );
  expectEqual({ hasResponse: response !== null }, { hasResponse: status !== null });
  if (response === null) return;
  const size = Object.entries(response.headers).flat().join('').length;
  expectTrue(size <= 16 * 1024, `the recorded headers have ${size} characters`);
  expectTrue(response.body.length <= 8 * 1024, `the recorded body has ${response.body.length} characters`);
}

async function expectClosed(receiver: Receiver, clock: Clock): Promise<void> {
  for (let waited = 0; receiver.open() > 0 && waited < TOLERANCE_MS; waited += 10) await clock.pause(10);
  expectEqual({ openConnections: receiver.open() }, { openConnections: 0 });
}

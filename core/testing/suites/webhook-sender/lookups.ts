import type { WebhookSender } from '../../../webhooks/ports/webhook-sender.js';
import { type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import {
  delivered,
  expectResult,
  failedAt,
  reachable,
  type SenderSettings,
  type SenderSuiteOptions,
  senderTests,
} from './sender-trial.js';

/** Settings of a sender that looks names up with a function. */
export interface LookupSenderSettings extends SenderSettings {
  /** The IP addresses of a name; none if the name does not exist. Rejects if they cannot be looked up. */
  lookup(name: string): Promise<readonly string[]>;
}

/** What the suite of lookups needs. */
export interface LookupSenderSuiteOptions extends Omit<SenderSuiteOptions, 'start'> {
  /** Starts a sender that looks up names only with `settings.lookup`, not with DNS. A test can start several. */
  start(settings: LookupSenderSettings): Promise<WebhookSender>;
}

/** The promises of `WebhookSender` about names, for a sender whose lookup can be replaced. */
export function webhookSenderLookupSuite({
  start,
  ...options
}: LookupSenderSuiteOptions): readonly ContractTest[] {
  const startWith = (lookup: LookupSenderSettings['lookup']) => start({ ...reachable, lookup });
  const test = senderTests({ ...options, start: () => startWith(async () => []) });
  return [
    test('a receiver must have a certificate for the name that was looked up', async (trial) => {
      const receiver = await trial.receiver();
      const sender = await startWith(async () => ['127.0.0.1']);
      expectResult(await trial.sendWith(sender, `https://receiver.test:${receiver.port}`), delivered);
      expectEqual(receiver.requests[0]?.headers.host, `receiver.test:${receiver.port}`);
      expectResult(await trial.sendWith(sender, `https://elsewhere.test:${receiver.port}`), failedAt('tls'));
      expectEqual({ requests: receiver.requests.length }, { requests: 1 });
    }),

    test('a name is refused without a connection if one of its addresses is not allowed', async (trial) => {
      const receiver = await trial.receiver();
      for (const addresses of [
        ['127.0.0.2'],
        ['10.0.0.1', '127.0.0.1'],
        ['127.0.0.1', '169.254.169.254'],
        ['127.0.0.1', '::1'],
        ['127.0.0.1', '::ffff:10.0.0.1'],
        ['127.0.0.1', 'fe80::1%lo'],
        ['127.0.0.1', '0177.0.0.1'],
        ['127.0.0.1', 'not an address'],
        ['127.0.0.1', ''],
      ]) {
        const sender = await startWith(async () => addresses);
        const result = await trial.sendWith(sender, `https://receiver.test:${receiver.port}`);
        expectResult(result, failedAt('lookup'), addresses.join());
        expectTrue(receiver.connections() === 0, `the sender has connected to one of ${addresses.join()}`);
      }
    }),

    test('the addresses of a name are checked for each attempt, and those that were checked are used', async (trial) => {
      const receiver = await trial.receiver();
      const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.1'];
      let lookups = 0;
      const sender = await startWith(async () => {
        lookups += 1;
        return [answers[lookups - 1] ?? '127.0.0.2'];
      });
      const url = `https://receiver.test:${receiver.port}`;
      expectResult(await trial.sendWith(sender, url), delivered, 'the first attempt');
      expectResult(await trial.sendWith(sender, url), failedAt('lookup'), 'the second attempt');
      expectResult(await trial.sendWith(sender, url), delivered, 'the third attempt');
      expectEqual([lookups, receiver.connections()], [3, 2]);
    }),

    test('a name without addresses is a failure of the lookup', async (trial) => {
      for (const lookup of [async () => [], () => Promise.reject(new Error('no such name'))])
        expectResult(
          await trial.sendWith(await startWith(lookup), 'https://receiver.test'),
          failedAt('lookup'),
        );
    }),

    test('an attempt ends in time if the lookup never does, and connects to nothing later', async (trial) => {
      const receiver = await trial.receiver();
      let answer: (addresses: readonly string[]) => void = () => {};
      const sender = await startWith(
        () =>
          new Promise((resolve) => {
            answer = resolve;
          }),
      );
      expectResult(
        await trial.sendWith(sender, `https://receiver.test:${receiver.port}`),
        failedAt('lookup'),
      );
      answer(['127.0.0.1']);
      await trial.clock.pause(50);
      expectTrue(receiver.connections() === 0, 'the sender has connected after the end of the attempt');
    }),
  ];
}

import { suiteCertificates } from '../../certificates.js';
import { atOnce, type ContractTest, each, expectEqual, expectTrue } from '../../expect.js';
import { eventName } from '../../subscribe.js';
import { answerWith } from '../../webhook-receiver.js';
import { delivered, expectResult, failedAt, type MakeSenderTest, sampleBody } from './sender-trial.js';

const untrusted = ['ofAnotherName', 'expired', 'selfSigned'] as const;

/** The requests that arrive, and the certificates of receivers. */
export function requestTests(test: MakeSenderTest): readonly ContractTest[] {
  return [
    test('the receiver gets one POST with the given headers and exactly the bytes of the body', async (trial) => {
      const receiver = await trial.receiver();
      const headers = {
        'Content-Type': 'application/json',
        'User-Agent': 'Service Webhook',
        'X-Service-Signature': 'sha256=0123456789abcdef',
        'X-Service-Event': eventName,
      };
      const result = await trial.send(`${receiver.url}/hooks/in?from=rollcall&x=%20`, { headers });
      expectResult(result, delivered);
      expectEqual(
        receiver.requests.map(({ method, path, headers: received, body }) => ({
          method,
          path,
          host: received.host,
          headers: Object.fromEntries(
            Object.keys(headers).map((name) => [name, received[name.toLowerCase()]]),
          ),
          body,
        })),
        [
          {
            method: 'POST',
            path: '/hooks/in?from=rollcall&x=%20',
            host: `127.0.0.1:${receiver.port}`,
            headers,
            body: sampleBody,
          },
        ],
      );
    }),

    test('an empty body arrives empty, and a large one whole', async (trial) => {
      const receiver = await trial.receiver();
      const bodies = ['', 'ü'.repeat(300_000)];
      for (const body of bodies) expectResult(await trial.send(receiver.url, { body }), delivered);
      expectEqual(each(receiver.requests, 'body'), bodies);
    }),

    test('each of 20 attempts at once gets the answer of its own receiver', async (trial) => {
      const receiver = await trial.receiver({
        answer: (socket, { body }) => answerWith(Number(body))(socket),
      });
      const results = await atOnce(20, (index) => trial.send(receiver.url, { body: String(400 + index) }));
      expectEqual(
        each(results, 'status'),
        results.map((_, index) => 400 + index),
      );
      expectEqual(receiver.requests.length, 20);
    }),

    test('attempts do not wait for those whose receivers hang', async (trial) => {
      const hanging = await trial.receiver({ answer: () => {} });
      const receiver = await trial.receiver();
      let ended = 0;
      const stuck = Promise.allSettled(
        Array.from({ length: 10 }, async () => {
          await trial.send(hanging.url);
          ended += 1;
        }),
      );
      for (let waited = 0; hanging.requests.length < 10 && waited < 500; waited += 10)
        await trial.clock.pause(10);
      expectResult(await trial.send(receiver.url), delivered);
      expectTrue(ended === 0, 'the attempt waited for another one');
      await hanging.stop();
      await stuck;
    }),

    test('a receiver without a valid certificate of a trusted authority for its host gets no request', async (trial) => {
      for (const name of untrusted) {
        const receiver = await trial.receiver({ certificate: suiteCertificates[name] });
        expectResult(await trial.send(receiver.url), failedAt('tls'), name);
        expectEqual({ [name]: receiver.requests }, { [name]: [] });
      }
    }),
  ];
}

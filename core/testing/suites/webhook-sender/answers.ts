import { type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import { answerWith, drip, flood, type ReceiverSocket } from '../../webhook-receiver.js';
import { delivered, expectResult, failedAt, type MakeSenderTest } from './sender-trial.js';

const interimResponses = [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 102 Processing\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
] as const;

const head = 'HTTP/1.1 200 OK\r\n';

/** How an answer decides the result. */
export function answerTests(test: MakeSenderTest): readonly ContractTest[] {
  return [
    test('only a 2xx answer counts as delivered, and no answer is asked for twice', async (trial) => {
      let status = 0;
      const receiver = await trial.receiver({ answer: (socket) => answerWith(status)(socket) });
      const good = [200, 201, 202, 204, 299];
      const bad = [300, 304, 400, 401, 404, 408, 410, 413, 429, 500, 502, 503, 504, 521, 599];
      for (status of [...good, ...bad]) {
        const outcome = good.includes(status) ? 'delivered' : 'failed';
        expectResult(await trial.send(receiver.url), { outcome, phase: 'answer', status });
      }
      expectEqual(receiver.requests.length, good.length + bad.length);
    }),

    test('redirects are not followed', async (trial) => {
      const target = await trial.receiver();
      let status = 0;
      const receiver = await trial.receiver({
        answer: (socket) => answerWith(status, { Location: `${target.url}/inner` })(socket),
      });
      for (status of [301, 302, 303, 307, 308]) {
        const result = await trial.send(receiver.url);
        expectTrue(target.connections() === 0, `the sender has followed a redirect with ${status}`);
        expectResult(result, { outcome: 'failed', phase: 'answer', status });
      }
    }),

    test('interim responses are not the answer', async (trial) => {
      let status = 0;
      const receiver = await trial.receiver({
        answer(socket) {
          socket.write(interimResponses.join(''));
          answerWith(status)(socket);
        },
      });
      for (status of [200, 500]) {
        const outcome = status === 200 ? 'delivered' : 'failed';
        expectResult(await trial.send(receiver.url), { outcome, phase: 'answer', status });
      }
    }),

    test('switching protocols is not a success', async (trial) => {
      const receiver = await trial.receiver({
        answer: (socket) =>
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      });
      const { outcome } = await trial.send(receiver.url);
      expectEqual(outcome, 'failed');
    }),

    test('the duration is in milliseconds', async (trial) => {
      const receiver = await trial.receiver({
        async answer(socket) {
          await trial.clock.pause(300);
          answerWith(200)(socket);
        },
      });
      const { duration } = await trial.send(receiver.url);
      expectTrue(duration !== null && duration >= 290, `an attempt of 300 ms has the duration ${duration}`);
    }),

    test('a 2xx answer counts as delivered even if its body never comes, never ends or breaks off', async (trial) => {
      const bodies: Readonly<Record<string, (socket: ReceiverSocket) => unknown>> = {
        'stops in its middle': (socket) => socket.write(`${head}Content-Length: 100\r\n\r\nhalf`),
        'comes slowly for ever': (socket) => {
          socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
          return drip(socket, '1\r\nx\r\n', trial.clock);
        },
        'never ends': (socket) => {
          socket.write(`${head}\r\n`);
          flood(socket, 'x');
        },
        'is cut off': (socket) => {
          socket.write(`${head}Content-Length: 100\r\n\r\nhalf`);
          socket.end();
        },
        'is malformed': (socket) => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`),
      };
      for (const [what, answer] of Object.entries(bodies)) {
        const receiver = await trial.receiver({ answer });
        expectResult(await trial.send(receiver.url), delivered, `a body that ${what}`);
        expectEqual({ requests: receiver.requests.length }, { requests: 1 });
        await trial.expectClosed(receiver);
      }
    }),

    test('a receiver that does not answer with HTTP is a failure after one attempt', async (trial) => {
      const answers: Readonly<Record<string, (socket: ReceiverSocket) => unknown>> = {
        'closes the connection': (socket) => socket.end(),
        'resets the connection': (socket) => socket.destroy(),
        'does not speak HTTP': (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
      };
      for (const [what, answer] of Object.entries(answers)) {
        const receiver = await trial.receiver({ answer });
        expectResult(await trial.send(receiver.url), failedAt('answer'), `a receiver that ${what}`);
        expectEqual({ requests: receiver.requests.length }, { requests: 1 });
      }
    }),

    test('a receiver without TLS is a failure while connecting', async (trial) => {
      const answers: Readonly<Record<string, (socket: ReceiverSocket) => unknown>> = {
        'closes the connection': (socket) => socket.end(),
        'speaks HTTP': (socket) => socket.write(`${head}Content-Length: 0\r\n\r\n`),
      };
      for (const [what, onConnection] of Object.entries(answers)) {
        const { port } = await trial.plainReceiver(onConnection);
        expectResult(
          await trial.send(`https://127.0.0.1:${port}`),
          failedAt('tls'),
          `a receiver that ${what}`,
        );
      }
      const gone = await trial.plainReceiver(() => {});
      await gone.stop();
      expectResult(await trial.send(gone.url), failedAt('connect'), 'a receiver that is gone');
    }),
  ];
}

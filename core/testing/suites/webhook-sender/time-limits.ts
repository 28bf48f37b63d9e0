import type { AttemptPhase } from '../../../webhooks/ports/deliveries.js';
import { type ContractTest, expectTrue } from '../../expect.js';
import { drip, flood, type Receiver, type ReceiverSocket } from '../../webhook-receiver.js';
import { expectResult, failedAt, type MakeSenderTest, type SenderTrial } from './sender-trial.js';

interface Stall {
  readonly receiver: (trial: SenderTrial) => Promise<Receiver>;
  readonly phase: AttemptPhase;
}

const answering = (answer: (socket: ReceiverSocket, trial: SenderTrial) => unknown): Stall => ({
  receiver: (trial) => trial.receiver({ answer: (socket) => answer(socket, trial) }),
  phase: 'answer',
});

const stalls: Readonly<Record<string, Stall>> = {
  'says nothing before TLS': {
    receiver: (trial) => trial.plainReceiver((socket) => socket.on('data', () => {})),
    phase: 'tls',
  },
  'does not read the request': {
    receiver: (trial) => trial.receiver({ onConnection: (socket) => socket.pause() }),
    phase: 'request',
  },
  'never answers': answering(() => {}),
  'stops in the middle of its status': answering((socket) => socket.write('HTTP/1.1 20')),
  'stops in the middle of its headers': answering((socket) => socket.write('HTTP/1.1 200 OK\r\nX-A')),
  'sends its headers slowly for ever': answering((socket, { clock }) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    return drip(socket, 'X: x\r\n', clock);
  }),
  'sends 100 Continue slowly for ever': answering((socket, { clock }) =>
    drip(socket, 'HTTP/1.1 100 Continue\r\n\r\n', clock),
  ),
};

const floods: Readonly<Record<string, string>> = {
  '100 Continue': 'HTTP/1.1 100 Continue\r\n\r\n',
  '103 Early Hints': 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
  headers: 'X-Header: value\r\n',
};

/** Large enough that the buffers of the system do not take it. */
const largeBody = 'x'.repeat(16 * 1024 * 1024);

/** How long an attempt takes. */
export function timeLimitTests(test: MakeSenderTest): readonly ContractTest[] {
  return [
    test('an attempt ends in time, however the receiver stalls, and leaves no connection', async (trial) => {
      await Promise.all(
        Object.entries(stalls).map(async ([what, { receiver: startStalling, phase }]) => {
          const receiver = await startStalling(trial);
          const changes = phase === 'request' ? { body: largeBody } : {};
          const result = await trial
            .send(`https://127.0.0.1:${receiver.port}`, changes)
            .catch((cause: unknown) => {
              throw new Error(`A receiver that ${what}: ${cause instanceof Error ? cause.message : cause}`, {
                cause,
              });
            });
          expectResult(result, failedAt(phase), `a receiver that ${what}`);
          expectTrue(
            receiver.connections() === 1,
            `the sender has connected ${receiver.connections()} times`,
          );
          // A receiver that does not read does not learn that the connection was closed.
          if (phase !== 'request') await trial.expectClosed(receiver);
        }),
      );
    }),

    ...Object.entries(floods).map(([what, text]) =>
      test(`an attempt ends in time if the receiver sends ${what} without end`, async (trial) => {
        const receiver = await trial.receiver({
          answer(socket) {
            if (what === 'headers') socket.write('HTTP/1.1 200 OK\r\n');
            flood(socket, text);
          },
        });
        const result = await trial.send(receiver.url);
        expectResult(result, failedAt('answer'));
        await trial.expectClosed(receiver);
      }),
    ),
  ];
}

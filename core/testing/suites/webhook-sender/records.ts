import type { AttemptResponse } from '../../../webhooks/ports/deliveries.js';
import { type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import type { ReceiverSocket } from '../../webhook-receiver.js';
import { expectResult, failedAt, type MakeSenderTest, type SenderTrial, sampleBody } from './sender-trial.js';

const MAX_BODY_BYTES = 8 * 1024;

/** The requests and responses that results contain. */
export function recordTests(test: MakeSenderTest): readonly ContractTest[] {
  return [
    test('the result contains exactly the headers that the receiver got', async (trial) => {
      const receiver = await trial.receiver();
      const headers = {
        'Content-Type': 'application/json',
        'X-Service-Signature': 'sha256=0123456789abcdef',
      };
      for (const body of [sampleBody, '']) {
        const { request } = await trial.send(`${receiver.url}/in?x=%20`, { headers, body });
        expectEqual(inLowerCase(request.headers), receiver.requests.at(-1)?.headers);
      }
    }),

    test('without a connection, the result contains the request that would have been sent', async (trial) => {
      const gone = await trial.receiver();
      await gone.stop();
      const result = await trial.send(gone.url, {
        headers: { 'X-Service-Event': 'e' },
      });
      expectResult(result, failedAt('connect'));
      expectEqual([result.request.headers['X-Service-Event'], result.response], ['e', null]);
    }),

    test('the result contains the headers and the body of the response', async (trial) => {
      const text = '{"error": "no such hook",\r\n\t"id": "\u0000\ufeffé🌍"}\n';
      const lines = [
        'X-Reason: unknown',
        'Set-Cookie: a=1',
        'Content-Type: application/json',
        'set-cookie: b=2',
      ];
      expectEqual(await responseTo(trial, answer(404, text, lines)), {
        headers: {
          'X-Reason': 'unknown',
          'Set-Cookie': 'a=1, b=2',
          'Content-Type': 'application/json',
          'Content-Length': String(bytesOf(text).length),
        },
        body: text,
        isTruncated: false,
      });
    }),

    test('a response without a body has an empty one', async (trial) => {
      const response = await responseTo(trial, (socket) => socket.write('HTTP/1.1 204 Fine\r\n\r\n'));
      expectEqual(response, { headers: {}, body: '', isTruncated: false });
    }),

    test('the location of a redirect and a compressed body are recorded as they came', async (trial) => {
      const lines = ['Location: /elsewhere', 'Content-Encoding: gzip'];
      const response = await responseTo(trial, answer(302, 'not really gzip', lines));
      const { Location, 'Content-Encoding': encoding } = response?.headers ?? {};
      expectEqual([Location, encoding, response?.body], ['/elsewhere', 'gzip', 'not really gzip']);
    }),

    test('bytes of a body that are not UTF-8 are replaced', async (trial) => {
      const bytes = Uint8Array.of(0x41, 0xff, 0x42, 0xc3, 0x28, 0xe2, 0x82);
      const response = await responseTo(trial, answer(200, bytes));
      expectEqual([response?.body, response?.isTruncated], ['A\ufffdB\ufffd(\ufffd', false]);
    }),

    test('8 KiB of a body are recorded, and of a longer one the beginning', async (trial) => {
      const whole = 'x'.repeat(MAX_BODY_BYTES);
      const recorded = async (text: string) => {
        const response = await responseTo(trial, answer(200, text));
        return { isWhole: response?.body === whole, isTruncated: response?.isTruncated };
      };
      expectEqual(await recorded(whole), { isWhole: true, isTruncated: false });
      expectEqual(await recorded(`${whole}y`), { isWhole: true, isTruncated: true });
      expectEqual(await recorded(`${whole}${'y'.repeat(500_000)}`), { isWhole: true, isTruncated: true });
    }),

    test('a character that the limit cuts is left out', async (trial) => {
      const response = await responseTo(trial, answer(200, `€${'€'.repeat(MAX_BODY_BYTES)}`));
      const characters = Math.floor(MAX_BODY_BYTES / 3);
      expectTrue(response?.body === '€'.repeat(characters), 'the body is not the whole characters of 8 KiB');
    }),

    test('of a body that breaks off, what has arrived is recorded as truncated', async (trial) => {
      const response = await responseTo(trial, (socket) => {
        socket.write('HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\nhalf');
        socket.end();
      });
      expectEqual(response, { headers: { 'Content-Length': '100' }, body: 'half', isTruncated: true });
    }),

    test('a body that comes in pieces is recorded whole', async (trial) => {
      const response = await responseTo(trial, async (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n');
        const [first, second] = [bytesOf('a€').slice(0, 2), bytesOf('a€').slice(2)];
        for (const piece of [first, second, bytesOf('b'), bytesOf('c')]) {
          await trial.clock.pause(30);
          socket.write(piece);
        }
      });
      expectEqual([response?.body, response?.isTruncated], ['a€bc', false]);
    }),
  ];
}

async function responseTo(
  trial: SenderTrial,
  answerRequest: (socket: ReceiverSocket) => unknown,
): Promise<AttemptResponse | null> {
  const receiver = await trial.receiver({ answer: answerRequest });
  const { response } = await trial.send(receiver.url);
  return response;
}

/** Answers with these header lines, the length of the body, and the body. */
function answer(status: number, body: string | Uint8Array, lines: readonly string[] = []) {
  const bytes = typeof body === 'string' ? bytesOf(body) : body;
  const head = [`HTTP/1.1 ${status} Text`, ...lines, `Content-Length: ${bytes.length}`, '', ''].join('\r\n');
  return (socket: ReceiverSocket): void => {
    socket.write(head);
    socket.write(bytes);
  };
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function inLowerCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

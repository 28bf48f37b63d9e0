import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, isIPv4 } from 'node:net';

export interface NameServer {
  /** The address in the form that resolvers accept. */
  readonly address: string;
  /** The questions in order, such as `A receiver.test`. */
  readonly questions: readonly string[];
  stop(): Promise<void>;
}

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' };
const NO_SUCH_NAME = 3;

/** The answers: the addresses of a name, `silence` for no response, or undefined for an unknown name. */
export type Zone = (name: string, type: string) => readonly string[] | 'silence' | undefined;

/** Starts a name server on 127.0.0.1 over UDP. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { address, port }) => {
    const { name, type, end } = questionIn(message);
    questions.push(`${type} ${name}`);
    const answer = zone(name, type);
    if (answer !== 'silence') socket.send(answerTo(message.subarray(0, end), type, answer), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    questions,
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** Reads the question of a message, which follows the header of twelve bytes. */
function questionIn(message: Buffer): { readonly name: string; readonly type: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const number = message.readUInt16BE(at + 1);
  return { name: labels.join('.').toLowerCase(), type: TYPES[number] ?? String(number), end: at + 5 };
}

function answerTo(question: Buffer, type: string, addresses: readonly string[] | undefined): Buffer {
  const records = (addresses ?? []).filter((address) => isIPv4(address) === (type === 'A')).map(recordOf);
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (addresses === undefined ? NO_SUCH_NAME : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

/** A record for the name of the question, with a TTL of 0. IPv6 addresses must be in long form, or `::1`. */
function recordOf(address: string): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  const start = Buffer.from([0xc0, 12, 0, isIPv4(address) ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([start, bytes]);
}

function ipv6Bytes(address: string): Buffer {
  const groups =
    address === '::1' ? [0, 0, 0, 0, 0, 0, 0, 1] : address.split(':').map((group) => Number(`0x${group}`));
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 255]));
}

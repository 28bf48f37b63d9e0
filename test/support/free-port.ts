import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Outside the range that systems assign to outgoing connections and to `listen(0)`, which could take the port first. */
const PORTS = { first: 15_000, end: 30_000 };

/** The ports that this process was given, which it may use only later. */
const given = new Set<number>();

/** Finds a port of this machine that no program uses, another one each time. */
export async function freePort(): Promise<number> {
  const port = randomInt(PORTS.first, PORTS.end);
  if (given.has(port)) return freePort();
  given.add(port);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return freePort();
  server.close();
  await once(server, 'close');
  return port;
}

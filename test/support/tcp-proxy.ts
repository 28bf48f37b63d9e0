import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.js';

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/**
 * A TCP proxy that can simulate a broken network. Listens on a free port, unless one is given. A connection whose client sends the
 * text `cutsAt` is cut off.
 */
export async function startTcpProxy(
  target: number,
  own = 0,
  { cutsAt = null }: { readonly cutsAt?: string | null } = {},
) {
  const pairs = new Set<readonly [near: Socket, far: Socket]>();
  let isFrozen = false;
  let current = target;
  const pass = ([near, far]: readonly [Socket, Socket]): void => {
    near.pipe(far);
    far.pipe(near);
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: current, host: '127.0.0.1', allowHalfOpen: true });
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    if (cutsAt !== null)
      near.on('data', (bytes) => {
        if (bytes.includes(cutsAt)) end();
      });
    if (isFrozen) near.pause();
    else pass(pair);
  });
  return {
    port: await listen(server, own),
    /** Stops forwarding bytes and disconnections, but still accepts connections, so that both sides seem connected. */
    freeze(): void {
      isFrozen = true;
      for (const [near, far] of pairs) {
        near.unpipe().pause();
        far.unpipe().pause();
      }
    },
    /** Forwards everything that was held back, and continues. */
    thaw(): void {
      isFrozen = false;
      for (const pair of pairs) pass(pair);
    },
    /** Leads new connections to another port. Open ones stay, and stay frozen if they are. */
    leadTo(other: number): void {
      current = other;
      isFrozen = false;
    },
    async stop(): Promise<void> {
      server.close();
      for (const [near, far] of pairs) {
        near.destroy();
        far.destroy();
      }
      await once(server, 'close');
    },
  };
}

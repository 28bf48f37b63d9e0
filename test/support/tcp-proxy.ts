import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can simulate a broken network. */
export interface TcpProxy {
  readonly port: number;
  /** Stops forwarding bytes and disconnections, but still accepts connections, so that both sides seem connected. */
  freeze(): void;
  /** Forwards everything that was held back, and continues. */
  thaw(): void;
  /** Leads new connections to another port. Open ones stay, and stay frozen if they are. */
  leadTo(target: number): void;
  stop(): Promise<void>;
}

/** Listens on a free port, unless one is given. A connection whose client sends the text `cutsAt` is cut off. */
export async function startTcpProxy(
  target: number,
  own = 0,
  { cutsAt = null }: { readonly cutsAt?: string | null } = {},
): Promise<TcpProxy> {
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
  }).listen(own, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    freeze() {
      isFrozen = true;
      for (const [near, far] of pairs) {
        near.unpipe().pause();
        far.unpipe().pause();
      }
    },
    thaw() {
      isFrozen = false;
      for (const pair of pairs) pass(pair);
    },
    leadTo(other) {
      current = other;
      isFrozen = false;
    },
    async stop() {
      server.close();
      for (const [near, far] of pairs) {
        near.destroy();
        far.destroy();
      }
      await once(server, 'close');
    },
  };
}

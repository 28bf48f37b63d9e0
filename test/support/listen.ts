import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Lets the server listen on this machine, by default on a free port. Returns its port. */
export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(port, host), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Stops listening, and ends every connection. */
export async function endServer(server: Server & { closeAllConnections(): void }): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

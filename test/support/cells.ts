import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** The rules by which a proxy finds the cell of a request. */
export interface CellRules {
  /** The port of each cell, by its name. */
  readonly ports: Readonly<Record<string, number>>;
  /** Cells by the first part of their tokens, which names the secret key. */
  readonly byToken: Readonly<Record<string, string>>;
  /** Cells by the digits with which their access keys begin. */
  readonly byKey: Readonly<Record<string, string>>;
  /** The cell of everything else, so that one of them refuses it. */
  readonly others: string;
}

/**
 * A proxy for several cells that knows nothing of Rollcall but its rules, as in `contracts/scale.md`: a path of a cell, the
 * token of a request, or the access key in the body of `authenticate`.
 */
export async function startCellProxy(
  port: number,
  rulesOf: () => CellRules,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const rules = rulesOf();
    const { path, cell } = destination(incoming, body, rules);
    forward({ incoming, outgoing, body, path, port: rules.ports[cell] ?? 0 });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function destination(
  { url = '/', headers }: IncomingMessage,
  body: Buffer,
  { ports, byToken, byKey, others }: CellRules,
): { readonly path: string; readonly cell: string } {
  const [, first = ''] = url.split('/', 2);
  if (first in ports) return { path: url.slice(first.length + 1), cell: first };
  if (url === '/api/v2/authenticate') {
    const key = /"access_key"\s*:\s*"(\d+)"/.exec(body.toString())?.[1] ?? '';
    const [, cell = others] = Object.entries(byKey).find(([prefix]) => key.startsWith(prefix)) ?? [];
    return { path: url, cell };
  }
  const head = /^Bearer ([^.]+)\./.exec(headers.authorization ?? '')?.[1] ?? '';
  return { path: url, cell: byToken[head] ?? others };
}

function forward({
  incoming,
  outgoing,
  body,
  path,
  port,
}: {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
  readonly path: string;
  readonly port: number;
}): void {
  const { method, headers } = incoming;
  const forwarded = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.writeHead(502).end());
  forwarded.end(body);
}

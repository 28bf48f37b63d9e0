import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { guideBlock, type RunningProxy, runProxy } from './proxies.js';

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
export async function startCellProxy(port: number, rules: CellRules): Promise<RunningProxy> {
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
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

/** HAProxy with the configuration of `contracts/scale.md`, in which local ports and files replace those of the guide. */
export async function startCellHaproxy(port: number, rules: CellRules): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-cells-'));
  const files = { 'cells-by-key.map': rules.byKey, 'cells-by-token.map': rules.byToken };
  for (const [name, cells] of Object.entries(files)) {
    const lines = Object.entries(cells).map(([start, cell]) => `${start} ${cell}\n`);
    writeFileSync(join(folder, name), lines.join(''));
  }
  let text = haproxyText()
    .replace(/bind .*/, `bind 127.0.0.1:${port}`)
    .replaceAll('/etc/haproxy/', `${folder}/`);
  for (const [cell, ofCell] of Object.entries(rules.ports))
    text = text.replace(
      new RegExp(`(\\nbackend ${cell}\\n(?:  .*\\n)*?  server one )\\S+`),
      `$1127.0.0.1:${ofCell}`,
    );
  return runProxy('haproxy', { text, folder, port, isUp: () => true });
}

/** The configuration of `contracts/scale.md` below the defaults of `contracts/operating.md`. */
export function haproxyText(): string {
  const [defaults = ''] = guideBlock('haproxy').split('\nfrontend ');
  return `${defaults}\n${guideBlock('haproxy', 'scale.md')}`;
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

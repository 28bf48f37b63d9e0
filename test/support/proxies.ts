import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';

const guide = fileURLToPath(new URL('../../../contracts/operating.md', import.meta.url));

/** The only code block in this language in the operating guide. */
export function guideBlock(language: string): string {
  const blocks = [
    ...readFileSync(guide, 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g')),
  ];
  if (blocks.length !== 1) throw new Error(`the guide has ${blocks.length} blocks of ${language}`);
  return blocks[0]?.[1] ?? '';
}

export function isInstalled(program: string): boolean {
  return spawnSync(program, ['-v'], { stdio: 'ignore' }).error === undefined;
}

/** Responds and restarts like an instance of the service. */
export interface Instance {
  readonly port: number;
  isReady: boolean;
  /** Whether every request except those to `/readyz` is closed without a response. */
  isBroken: boolean;
  /** The requests received while the instance is broken, newest last. */
  readonly taken: IncomingMessage[];
  /** Reports on `/readyz` that the instance stops, long enough for proxies to notice, and then closes. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Closes at once. */
  end(): Promise<void>;
}

const STOPPING_MS = 5_000;

export async function startInstance(): Promise<Instance> {
  const port = await freePort();
  let server: Server;
  let isStopping = false;
  const instance: Instance = {
    port,
    isReady: true,
    isBroken: false,
    taken: [],
    async start() {
      isStopping = false;
      server = createServer({ keepAliveTimeout: 5_000 }, (request, response) => {
        if (instance.isBroken && request.url !== '/readyz') {
          instance.taken.push(request);
          return void request.socket.destroy();
        }
        const isReady = instance.isReady && !isStopping;
        const headers = { 'Content-Type': 'application/json; charset=utf-8' };
        if (instance.isReady && (isReady || request.url !== '/readyz'))
          return response.writeHead(200, headers).end('{"success":true}');
        return response
          .writeHead(503, {
            ...headers,
            'Retry-After': '5',
            'X-Error-Code': 'unavailable',
            'X-Instance': 'yes',
          })
          .end('{"error":"Service Unavailable"}');
      }).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async end() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    async stop() {
      isStopping = true;
      await pause(STOPPING_MS);
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closed;
    },
  };
  await instance.start();
  return instance;
}

export interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
}

export type ProxyKind = 'haproxy' | 'nginx';

/** Starts a proxy with the configuration of the guide, in which local ports replace addresses and certificates. */
export async function startProxy(kind: ProxyKind, instances: readonly Instance[]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), `rollcall-${kind}-`));
  const port = await freePort();
  const file = join(folder, 'conf');
  writeFileSync(file, localText(kind, { folder, port, instances }));
  const args = kind === 'haproxy' ? ['-db', '-f', file] : ['-c', file, '-p', folder];
  const child = spawn(kind, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const proxy = { url: `http://127.0.0.1:${port}`, stop: () => end(child, folder) };
  for (let left = 200; left > 0; left -= 1) {
    const isUp = await fetch(proxy.url).then(
      (answer) => answer.status === 200,
      () => false,
    );
    if (isUp) return proxy;
    if (child.exitCode !== null) break;
    await pause(50);
  }
  await proxy.stop();
  throw new Error(`${kind} does not start: ${output}`);
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 2_000);
    await ended;
    clearTimeout(timer);
  }
  rmSync(folder, { recursive: true, force: true });
}

function localText(
  kind: ProxyKind,
  {
    folder,
    port,
    instances,
  }: { readonly folder: string; readonly port: number; readonly instances: readonly Instance[] },
): string {
  let text = guideBlock(kind).replace(/^.*10\.0\.0\.3.*\n/gm, '');
  for (const [index, instance] of instances.entries())
    text = text.replaceAll(`10.0.0.${index + 1}:3000`, `127.0.0.1:${instance.port}`);
  if (kind === 'haproxy') return text.replace(/bind .*/, `bind 127.0.0.1:${port}`);
  return `daemon off; worker_processes 1; error_log stderr error; pid ${folder}/pid;
events {}
http {
access_log off;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((part) => `${part}_temp_path ${folder}/${part};`).join('\n')}
${text.replace(/listen 443 ssl;/, `listen 127.0.0.1:${port};`)}
}
`;
}

export interface Restarted {
  readonly requests: number;
  /** The responses other than 200, and the errors. */
  readonly failed: readonly string[];
}

/** Sends requests continually while the instances are restarted one by one. */
export async function restartInTurn(proxy: Proxy, instances: readonly Instance[]): Promise<Restarted> {
  let [isStopped, requests] = [false, 0];
  const failed: string[] = [];
  const sending = [0, 1].map(async () => {
    while (!isStopped) {
      const answered = await fetch(`${proxy.url}/api/v2/authenticate`).then(
        async (answer) => `${answer.status} ${await answer.text()}`,
        (error: unknown) => String(error),
      );
      requests += 1;
      if (!answered.startsWith('200 ')) failed.push(answered);
      await pause(5);
    }
  });
  for (const instance of instances) {
    await instance.stop();
    await pause(1_000);
    await instance.start();
    await pause(6_000);
  }
  isStopped = true;
  await Promise.all(sending);
  return { requests, failed };
}

/** Sends requests until the proxy refuses one, for up to 15 s, and returns that response. */
export async function refusalOf({ url }: Proxy): Promise<Response> {
  for (let left = 150; left > 0; left -= 1) {
    // A kept connection can be closed together with that of the instance. A client would try again.
    const answer = await fetch(`${url}/api/v2/authenticate`).catch(() => null);
    if (answer !== null && answer.status !== 200) return answer;
    await pause(100);
  }
  throw new Error('the proxy refused no request');
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Certificate } from './certificates.js';
import { freePort } from './free-port.js';
import { endServer, listen } from './listen.js';

/** The only code block in this language in the operating guide, or in another one. */
export function guideBlock(language: string, guide = 'operating.md'): string {
  const blocks = [...readGuide(guide).matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))];
  if (blocks.length !== 1) throw new Error(`${guide} has ${blocks.length} blocks of ${language}`);
  return blocks[0]?.[1] ?? '';
}

function readGuide(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../contracts/${name}`, import.meta.url)), 'utf8');
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
  /** The URLs of all requests, newest last. */
  readonly urls: string[];
  /** The requests received while the instance is broken, newest last. */
  readonly taken: IncomingMessage[];
  /** Reports on `/readyz` that the instance stops, long enough for proxies to notice, and then closes. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Closes at once. */
  end(): Promise<void>;
}

const STOPPING_MS = 5_000;

async function startInstance(): Promise<Instance> {
  const port = await freePort();
  let server: Server;
  let isStopping = false;
  const instance: Instance = {
    port,
    isReady: true,
    isBroken: false,
    taken: [],
    urls: [],
    async start() {
      isStopping = false;
      server = createServer({ keepAliveTimeout: 5_000 }, (request, response) => {
        instance.urls.push(request.url ?? '');
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
      });
      await listen(server, port);
    },
    async end() {
      if (server.listening) await endServer(server);
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

export interface RunningProxy {
  readonly url: string;
  stop(): Promise<void>;
}

export type ProxyKind = 'haproxy' | 'nginx';

/** Starts a proxy with the configuration of the guide, in which local ports replace addresses and certificates. */
async function startProxy(
  kind: ProxyKind,
  instances: readonly Pick<Instance, 'port'>[],
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), `rollcall-${kind}-`));
  const port = await freePort();
  const text = localText(kind, { folder, port, instances });
  return runProxy(kind, { text, folder, port, isUp: ({ status }) => status === 200 });
}

interface Place {
  readonly folder: string;
  readonly port: number;
}

/** The commands that start a proxy in the foreground with the configuration in a file. */
const commands = {
  haproxy: (file: string) => ['-db', '-f', file],
  nginx: (file: string, { folder }: Place) => ['-c', file, '-p', folder],
  apache2: (file: string) => ['-X', '-f', file],
  lighttpd: (file: string) => ['-D', '-f', file],
  caddy: (file: string) => ['run', '--adapter', 'caddyfile', '--config', file],
  squid: (file: string) => ['-N', '-f', file],
  varnishd: (file: string, { folder, port }: Place) => [
    ...['-F', '-f', file, '-a', `127.0.0.1:${port}`, '-n', join(folder, 'work')],
  ],
} as const;

export type AnyProxyKind = keyof typeof commands;

/** Also the proxies for which the guide has some lines only. */
export async function startAnyProxy(
  kind: AnyProxyKind,
  instance: Pick<Instance, 'port'>,
): Promise<RunningProxy> {
  if (kind === 'haproxy' || kind === 'nginx') return startProxy(kind, [instance, instance]);
  const folder = mkdtempSync(join(tmpdir(), `rollcall-${kind}-`));
  // Some change to another user.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const lines = guideBlock(languages[kind])
    .replaceAll(' 10.0.0.2:3000 10.0.0.3:3000', '')
    .replaceAll('10.0.0.1', '127.0.0.1')
    .replaceAll('3000', String(instance.port));
  const text = around[kind]({ folder, port, lines });
  return runProxy(kind, { text, folder, port, isUp: ({ status }) => status === 200 });
}

/** In which language the guide has its lines. */
const languages = {
  ...{ apache2: 'apache', lighttpd: 'lighttpd', caddy: 'text', squid: 'squid', varnishd: 'vcl' },
} as const;

interface Lines extends Place {
  readonly lines: string;
}

const around = {
  apache2: ({ folder, port, lines }: Lines) =>
    [
      ...[
        `ServerRoot ${folder}`,
        `PidFile ${folder}/pid`,
        `ErrorLog ${folder}/error.log`,
        'ServerName localhost',
      ],
      ...['mpm_event', 'authz_core', 'proxy', 'proxy_http'].map(
        (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
      ),
      ...[
        'User nobody',
        'Group nogroup',
        `Listen 127.0.0.1:${port}`,
        `<VirtualHost *:${port}>`,
        lines,
        '</VirtualHost>',
      ],
    ].join('\n'),
  lighttpd: ({ folder, port, lines }: Lines) =>
    `server.document-root = "${folder}"\nserver.port = ${port}\nserver.bind = "127.0.0.1"\n${lines}`,
  caddy: ({ port, lines }: Lines) =>
    `{\n\tadmin off\n}\n${lines.replace(/^\S+ \{/, `http://127.0.0.1:${port} {`)}`,
  squid: ({ folder, port, lines }: Lines) =>
    `pid_filename none\naccess_log none\ncache_log /dev/stderr\ncoredump_dir ${folder}\nvisible_hostname localhost\n${lines
      .replace('https_port 443', `http_port 127.0.0.1:${port}`)
      .replace(/ tls-cert=\S+/, '')}`,
  varnishd: ({ lines }: Lines) => lines,
};

/** Runs a proxy until it is stopped, which removes its folder. Resolves when it gives an answer that `isUp` accepts. */
export async function runProxy(
  kind: AnyProxyKind,
  {
    text,
    folder,
    port,
    isUp,
  }: {
    readonly text: string;
    readonly folder: string;
    readonly port: number;
    readonly isUp: (answer: Response) => boolean;
  },
): Promise<RunningProxy> {
  const file = join(folder, 'conf');
  writeFileSync(file, text);
  const env = { ...process.env, HOME: folder };
  const child = spawn(kind, commands[kind](file, { folder, port }), {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    output += part;
  });
  const proxy = { url: `http://127.0.0.1:${port}`, stop: () => end(child, folder) };
  for (let left = 200; left > 0; left -= 1) {
    if (await fetch(proxy.url).then(isUp, () => false)) return proxy;
    if (child.exitCode !== null) break;
    await pause(50);
  }
  await proxy.stop();
  throw new Error(`${kind} does not start: ${output}`);
}

/** What the program itself says about a configuration as it is written, with a certificate and a port of this machine. */
export async function checkProxy(
  kind: ProxyKind,
  text: string,
  { key, cert }: Certificate,
): Promise<{ readonly status: number | null; readonly output: string }> {
  const folder = mkdtempSync(join(tmpdir(), `rollcall-${kind}-`));
  try {
    const [file, pem] = [join(folder, 'conf'), join(folder, 'rollcall.pem')];
    writeFileSync(pem, `${cert}\n${key}\n`);
    writeFileSync(
      file,
      kind === 'haproxy'
        ? text.replace('/etc/haproxy/rollcall.pem', pem)
        : nginxText(folder, text.replace('listen 443', `listen 127.0.0.1:${await freePort()}`), pem),
    );
    const args = kind === 'haproxy' ? ['-c', '-f', file] : ['-t', '-c', file, '-p', folder];
    const { status, stdout, stderr } = spawnSync(kind, args, { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
  }: {
    readonly folder: string;
    readonly port: number;
    readonly instances: readonly Pick<Instance, 'port'>[];
  },
): string {
  let text = guideBlock(kind).replace(/^.*10\.0\.0\.3.*\n/gm, '');
  for (const [index, instance] of instances.entries())
    text = text.replaceAll(`10.0.0.${index + 1}:3000`, `127.0.0.1:${instance.port}`);
  if (kind === 'haproxy') return text.replace(/bind .*/, `bind 127.0.0.1:${port}`);
  return nginxText(folder, text.replace(/listen 443 ssl;/, `listen 127.0.0.1:${port};`));
}

/** A whole configuration of nginx around the guide's part, which keeps all its files in this folder. */
function nginxText(folder: string, text: string, pem?: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off; worker_processes 1; error_log stderr error; pid ${folder}/pid;
events {}
http {
access_log off;
${temporary.map((part) => `${part}_temp_path ${folder}/${part};`).join('\n')}
${pem === undefined ? '' : `ssl_certificate ${pem}; ssl_certificate_key ${pem};`}
${text}
}
`;
}

/** Runs the work behind a proxy with the configuration of the operator's guide, before two instances. */
export async function withProxy(
  kind: ProxyKind,
  work: (proxy: RunningProxy, instances: readonly Instance[]) => Promise<void>,
): Promise<void> {
  const instances = [await startInstance(), await startInstance()];
  const proxy = await startProxy(kind, instances);
  try {
    await work(proxy, instances);
  } finally {
    await proxy.stop();
    for (const instance of instances) await instance.end();
  }
}

/** Sends requests until the proxy refuses one, for up to 15 s, and returns that response. */
export async function refusalOf({ url }: RunningProxy): Promise<Response> {
  for (let left = 150; left > 0; left -= 1) {
    // A kept connection can be closed together with that of the instance. A client would try again.
    const answer = await fetch(`${url}/api/v2/authenticate`).catch(() => null);
    if (answer !== null && answer.status !== 200) return answer;
    await pause(100);
  }
  throw new Error('the proxy refused no request');
}

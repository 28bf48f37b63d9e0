import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openapi } from '@rollcall/contracts';
import { type GuideAnswer, guidePages } from '#adapters/express/pages/docs/guide-text.js';
import type { Receiver } from '#adapters/express/pages/docs/receivers.js';
import { freePort, shell } from './app-cli.js';
import { until } from './wait.js';

const execute = promisify(execFile);

/** The HTML of each page of the guide, in their order. */
export async function readGuide(url: string): Promise<readonly string[]> {
  const pages: string[] = [];
  for (const { name } of guidePages) {
    const answer = await fetch(`${url}/docs/guide/${name}`, { headers: { Accept: 'text/html' } });
    pages.push(await answer.text());
  }
  return pages;
}

/** The examples of a page of the guide by the ID of their element, as a reader copies them. */
export function examplesIn(page: string): ReadonlyMap<string, string> {
  const found = page.matchAll(/<code id="([\w-]+)">([^<]*)<\/code>/g);
  return new Map([...found].map(([, id = '', text = '']) => [id, unescapeHtml(text)]));
}

export function unescapeHtml(text: string): string {
  const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_entity, name: string) => characters[name] ?? '');
}

const MARK = '---- ';

/** A command that keeps a value of the answer: what is before `sed` prints the answer itself. */
const KEEPS_VALUE = /^\w+=\$\((curl [^|]+?)\s*\\?\n?\s*\| sed/;

/**
 * Runs all commands of each page in a shell of its own, in order, with an endpoint on this machine. Returns the output of
 * each by its name. For commands that keep a value of the answer, it is the answer.
 */
export async function runCommands(
  pages: readonly string[],
  cwd: string,
): Promise<Readonly<Record<string, string>>> {
  const outputs: Record<string, string> = {};
  for (const page of pages) Object.assign(outputs, await runPage(examplesIn(page), cwd));
  return outputs;
}

async function runPage(
  examples: ReadonlyMap<string, string>,
  cwd: string,
): Promise<Readonly<Record<string, string>>> {
  const commands = [...examples].filter(([id]) => id.startsWith('shell-'));
  const script = commands
    .map(([id, text]) => `echo; echo '${MARK}${id.slice(6)}'\n${text}\n${KEEPS_VALUE.exec(text)?.[1] ?? ''}`)
    .join('\n')
    .replaceAll('https://example.com/hooks', 'https://127.0.0.1:9/hooks');
  const { code, stdout, stderr } = await shell(`set -e\n${script}`, cwd);
  assert.equal(code, 0, `${stderr}\n${stdout}`);
  const outputs = stdout.split(`\n${MARK}`).slice(1);
  return Object.fromEntries(
    outputs.map((text) => [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n') + 1).trim()]),
  );
}

/** An answer as the guide shows it: without what is secret or long, and of longer lists only how they begin. */
function shortened(value: unknown, url: string): unknown {
  if (typeof value === 'string')
    return value
      .replace(/^(?=[\w+/=.-]{40})(whsec_|.{8}).*$/, '$1…')
      .replace(url, '{{url}}')
      .replace('https://127.0.0.1:9/hooks', 'https://example.com/hooks')
      .replace(/(?<=\/(?:invitations|login)\/).+$/, '…');
  if (Array.isArray(value)) {
    const shown = (value.length > 2 ? value.slice(0, 1) : value).map((item) => shortened(item, url));
    return shown.length < value.length ? [...shown, '…'] : shown;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item, url)]));
}

/** The files that commands of the guide save, by the names of the commands. */
const savedFiles = {
  whole: 'meetings.json',
  csv: 'meetings.csv',
  copy: 'meetings.ndjson',
  since: 'changes.ndjson',
};

/** What the guide shows below its commands, made from what they have printed and saved. */
export function answersOf(
  outputs: Readonly<Record<string, string>>,
  { url, cwd }: { readonly url: string; readonly cwd: string },
): Readonly<Record<string, GuideAnswer>> {
  const answers = Object.entries(outputs).map(([id, output]): readonly [string, GuideAnswer] => {
    const [first = ''] = output.split('\n');
    return [id, first.startsWith('{') ? { json: shortened(JSON.parse(first), url) } : { lines: [first] }];
  });
  const files = Object.entries(savedFiles).map(([id, file]): readonly [string, GuideAnswer] => {
    const text = readFileSync(join(cwd, file), 'utf8').replace('\ufeff', '');
    if (file.endsWith('.json')) return [id, { file, json: shortened(JSON.parse(text), url) }];
    return [id, { file, lines: text.split(/\r?\n/).slice(0, 3) }];
  });
  return Object.fromEntries([...answers.filter(([id]) => !(id in savedFiles) && id !== 'given'), ...files]);
}

/** The commands about meetings. The demo has other meetings each day. */
const varying = new Set(['upcoming', 'export', 'range', 'page', 'first-changes', ...Object.keys(savedFiles)]);

/** Whether the answer of a command is the one that the guide shows, but for ids, times and what varies. */
export function isAnswer(id: string, shown: GuideAnswer | undefined, answered: GuideAnswer): boolean {
  return isAlike(shown, answered, !varying.has(id));
}

function isAlike(shown: unknown, answered: unknown, isExact: boolean): boolean {
  if (Array.isArray(shown) && Array.isArray(answered))
    return (
      (!isExact || shown.length === answered.length) &&
      shown.every((item, index) => index >= answered.length || isAlike(item, answered[index], isExact))
    );
  if (isObject(shown) && isObject(answered))
    return (
      Object.keys(shown).join() === Object.keys(answered).join() &&
      Object.entries(shown).every(([name, value]) => isAlike(value, answered[name], isExact))
    );
  if (isExact) return withoutIds(shown) === withoutIds(answered);
  if (isLine(shown) && isLine(answered)) return isAlike(JSON.parse(shown), JSON.parse(answered), isExact);
  return shown === null || answered === null || typeof shown === typeof answered;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isLine(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('{"');
}

function withoutIds(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value
    .replace(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, 'id')
    .replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, 'time');
}

/** Node-RED is run by the peers. */
export type Language = Exclude<Receiver['language'], 'Node-RED'>;

interface Runtime {
  readonly program: string;
  /** The Debian package that contains the program. */
  readonly debianPackage: string;
  readonly start: (
    file: string,
    port: number,
  ) => Promise<readonly [program: string, args: readonly string[]]>;
}

/** The languages in the order in which the guide shows them. */
export const runtimes: Readonly<Record<Language, Runtime>> = {
  Node: {
    program: process.execPath,
    debianPackage: 'nodejs',
    start: async (file) => [process.execPath, [file]],
  },
  Python: {
    program: 'python3',
    debianPackage: 'python3',
    start: async (file) => ['python3', [file]],
  },
  Ruby: {
    program: 'ruby',
    debianPackage: 'ruby',
    start: async (file) => ['ruby', ['-e', RACK, file]],
  },
  PHP: {
    program: 'php',
    debianPackage: 'php-cli',
    start: async (file, port) => ['php', ['-S', `127.0.0.1:${port}`, file]],
  },
  Perl: {
    program: 'plackup',
    debianPackage: 'libplack-perl',
    start: async (file, port) => ['plackup', ['--host', '127.0.0.1', '--port', String(port), file]],
  },
  Java: {
    program: 'java',
    debianPackage: 'default-jdk-headless',
    start: async (file) => ['java', [file]],
  },
  Go: {
    program: 'go',
    debianPackage: 'golang-go',
    async start(file) {
      const binary = file.replace(/\.go$/, '');
      const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off' };
      await execute('go', ['build', '-o', binary, file], { env, timeout: 180_000 });
      return [binary, []];
    },
  },
};

/** A minimal Rack server, so that no gem must be installed. */
const RACK = `
require "socket"
require "stringio"
$stdout.sync = true
def run(app) = $app = app
load ARGV[0]
server = TCPServer.new("127.0.0.1", ENV.fetch("PORT").to_i)
loop do
  client = server.accept
  client.gets
  env = {}
  while (line = client.gets.to_s.chomp) != ""
    name, value = line.split(": ", 2)
    env["HTTP_" + name.upcase.tr("-", "_")] = value
  end
  env["rack.input"] = StringIO.new(client.read(env["HTTP_CONTENT_LENGTH"].to_i).to_s)
  status, = $app.call(env)
  client.write("HTTP/1.1 #{status} -\\r\\nConnection: close\\r\\n\\r\\n")
  client.close
end
`;

/** Whether the receiver can be run here. */
export async function isInstalled(language: Receiver['language']): Promise<boolean> {
  if (language === 'Node-RED') return false;
  const { program } = runtimes[language];
  if (program === process.execPath) return true;
  return (await shell(`${program} ${language === 'Go' ? 'version' : '--version'}`, '/')).code === 0;
}

interface SignedBody {
  readonly secret: string;
  readonly body: string;
  readonly signature: string;
}

/**
 * The test vector of GitHub's documentation, and an event of the contract signed by Node. During a rotation, a receiver
 * holds two secrets, and either may have signed.
 */
function signedBodies(): readonly SignedBody[] {
  const secret = `whsec_${Buffer.alloc(32, 'key').toString('base64')}`;
  const body = JSON.stringify(eventExample());
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const other = `whsec_${Buffer.alloc(32, 'other').toString('base64')}`;
  return [
    {
      secret: "It's a Secret to Everybody",
      body: 'Hello, World!',
      signature: 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    { secret: `${secret},${other}`, body, signature },
    { secret: `${other},${secret}`, body, signature },
  ];
}

function eventExample(): unknown {
  const { post } = openapi().webhooks['user.registered'] as {
    readonly post: {
      readonly requestBody: {
        readonly content: Readonly<Record<string, { readonly examples: Record<string, { value: object }> }>>;
      };
    };
  };
  const example = Object.values(post.requestBody.content['application/json']?.examples ?? {})[0];
  assert.ok(example, 'the contract has an example of the event');
  return example.value;
}

/**
 * Runs a receiver with its real interpreter. Fails unless it accepts only correctly signed bodies, and reports a
 * missing secret.
 */
export async function checkReceiver(receiver: Receiver, directory: string): Promise<void> {
  await checkWithoutSecret(receiver, directory);
  for (const signed of signedBodies()) {
    const running = await startReceiver(receiver, { directory, secret: signed.secret });
    try {
      await checkResponses(running, signed);
    } finally {
      await running.stop();
    }
  }
}

/** A program must end. PHP, which runs for each request, must refuse every one. */
async function checkWithoutSecret(receiver: Receiver, directory: string): Promise<void> {
  const { child, firstStatus, errorOutput, stop } = await spawnReceiver(receiver, {
    directory,
    secret: null,
  });
  try {
    const status = await firstStatus().catch(() => null);
    await until(() => errorOutput().includes('WEBHOOK_SECRET is missing'), 5000);
    assert.match(errorOutput(), /WEBHOOK_SECRET is missing: set it to the webhook's secret, whsec_ included/);
    assert.doesNotMatch(errorOutput(), /^\s+at |Traceback|goroutine/m);
    assert.deepEqual([status, child.exitCode], receiver.language === 'PHP' ? [500, null] : [null, 1]);
  } finally {
    await stop();
  }
}

interface RunningReceiver {
  send(body: string, signature: string | null): Promise<number>;
  printed(): string;
  stop(): Promise<void>;
}

async function checkResponses(receiver: RunningReceiver, { body, signature }: SignedBody): Promise<void> {
  const last = signature.endsWith('0') ? '1' : '0';
  const statuses = {
    unsigned: await receiver.send(body, null),
    empty: await receiver.send(body, ''),
    short: await receiver.send(body, signature.slice(0, -1)),
    long: await receiver.send(body, `${signature}0`),
    'a wrong digit': await receiver.send(body, `${signature.slice(0, -1)}${last}`),
    'without the prefix': await receiver.send(body, signature.replace('sha256=', '')),
    'another body': await receiver.send(`${body} `, signature),
    'not ASCII': await receiver.send(body, 'sha256=\u00e9\u00e9'),
    genuine: await receiver.send(body, signature),
  };
  const { genuine, ...forged } = statuses;
  assert.equal(genuine, 204);
  assert.deepEqual(
    Object.entries(forged).filter(([, status]) => status !== 401),
    [],
  );
  await until(() => receiver.printed().includes(body), 5000);
  assert.deepEqual(receiver.printed().split(body).length, 2, 'it prints the genuine body once');
}

async function startReceiver(
  receiver: Receiver,
  options: { readonly directory: string; readonly secret: string },
): Promise<RunningReceiver> {
  const { firstStatus, errorOutput, ...running } = await spawnReceiver(receiver, options);
  try {
    await firstStatus();
  } catch (error) {
    await running.stop();
    throw new Error(`the receiver in ${receiver.language} does not respond:\n${errorOutput()}`, {
      cause: error,
    });
  }
  return running;
}

interface SpawnedReceiver extends RunningReceiver {
  readonly child: ChildProcess;
  /** The status of the first response. Throws if the receiver has ended. */
  firstStatus(): Promise<number>;
  errorOutput(): string;
}

async function spawnReceiver(
  { language, file, code }: Receiver,
  { directory, secret }: { readonly directory: string; readonly secret: string | null },
): Promise<SpawnedReceiver> {
  const path = join(directory, file);
  writeFileSync(path, code);
  const port = await freePort();
  const [program, args] = await runtimes[language as Language].start(path, port);
  const { WEBHOOK_SECRET: _ours, ...environment } = process.env;
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...environment, ...(secret !== null && { WEBHOOK_SECRET: secret }), PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let errorOutput = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput += text;
  });
  const send = (body: string, signature: string | null): Promise<number> => post({ port, body, signature });
  return {
    child,
    send,
    firstStatus: () => retryUntilRunning(child, () => send('', null)),
    printed: () => printed,
    errorOutput: () => errorOutput,
    stop: () => end(child),
  };
}

async function post({
  port,
  body,
  signature,
}: {
  readonly port: number;
  readonly body: string;
  readonly signature: string | null;
}): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/hooks`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Connection: 'close',
      ...(signature !== null && { 'X-Rollcall-Signature': signature }),
    },
    body,
    signal: AbortSignal.timeout(10_000),
  });
  await response.arrayBuffer();
  return response.status;
}

async function retryUntilRunning(child: ChildProcess, request: () => Promise<number>): Promise<number> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (child.exitCode !== null || performance.now() > deadline) throw error;
      await pause(50);
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

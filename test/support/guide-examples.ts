import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openapi } from '@rollcall/contracts';
import { type GuideAnswer, guidePages } from '#adapters/express/pages/docs/guide-text.js';
import type { Receiver } from '#adapters/express/pages/docs/receivers.js';
import { follow, freePort, shell } from './app-cli.js';
import { plainText } from './page/client.js';
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
  return new Map([...found].map(([, id = '', text = '']) => [id, plainText(text)]));
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
  readonly args: (file: string, port: number) => readonly string[];
}

const onlyFile = (file: string): readonly string[] => [file];

/** The languages in the order in which the guide shows them. */
export const runtimes: Readonly<Record<Language, Runtime>> = {
  Node: { program: process.execPath, debianPackage: 'nodejs', args: onlyFile },
  Python: { program: 'python3', debianPackage: 'python3', args: onlyFile },
  Ruby: { program: 'ruby', debianPackage: 'ruby', args: (file) => ['-e', RACK, file] },
  PHP: { program: 'php', debianPackage: 'php-cli', args: (file, port) => ['-S', `127.0.0.1:${port}`, file] },
  Perl: {
    program: 'plackup',
    debianPackage: 'libplack-perl',
    args: (file, port) => ['--host', '127.0.0.1', '--port', String(port), file],
  },
  Java: { program: 'java', debianPackage: 'default-jdk-headless', args: onlyFile },
  Go: { program: 'go', debianPackage: 'golang-go', args: () => [] },
};

/** Compiles the file, and returns the program. */
async function builtByGo(file: string): Promise<string> {
  const binary = file.replace(/\.go$/, '');
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off' };
  await execute('go', ['build', '-o', binary, file], { env, timeout: 180_000 });
  return binary;
}

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
  await withReceiver(receiver, { directory, secret: null }, (running) =>
    checkWithoutSecret(receiver, running),
  );
  for (const signed of signedBodies())
    await withReceiver(receiver, { directory, secret: signed.secret }, async (running) => {
      await running.firstStatus().catch((cause: unknown) => {
        throw new Error(`the receiver in ${receiver.language} does not respond:\n${running.stderr()}`, {
          cause,
        });
      });
      await checkResponses(running, signed);
    });
}

/** A program must end. PHP, which runs for each request, must refuse every one. */
async function checkWithoutSecret(
  { language }: Receiver,
  { child, firstStatus, stderr }: RunningReceiver,
): Promise<void> {
  const status = await firstStatus().catch(() => null);
  await until(() => stderr().includes('WEBHOOK_SECRET is missing'), 5000);
  assert.match(stderr(), /WEBHOOK_SECRET is missing: set it to the webhook's secret, whsec_ included/);
  assert.doesNotMatch(stderr(), /^\s+at |Traceback|goroutine/m);
  assert.deepEqual([status, child.exitCode], language === 'PHP' ? [500, null] : [null, 1]);
}

async function checkResponses(
  { send, stdout }: RunningReceiver,
  { body, signature }: SignedBody,
): Promise<void> {
  const last = signature.endsWith('0') ? '1' : '0';
  const statuses = {
    unsigned: await send(body, null),
    empty: await send(body, ''),
    short: await send(body, signature.slice(0, -1)),
    long: await send(body, `${signature}0`),
    'a wrong digit': await send(body, `${signature.slice(0, -1)}${last}`),
    'without the prefix': await send(body, signature.replace('sha256=', '')),
    'another body': await send(`${body} `, signature),
    'not ASCII': await send(body, 'sha256=\u00e9\u00e9'),
    genuine: await send(body, signature),
  };
  const { genuine, ...forged } = statuses;
  assert.equal(genuine, 204);
  assert.deepEqual(
    Object.entries(forged).filter(([, status]) => status !== 401),
    [],
  );
  await until(() => stdout().includes(body), 5000);
  assert.deepEqual(stdout().split(body).length, 2, 'it prints the genuine body once');
}

type RunningReceiver = Awaited<ReturnType<typeof spawnReceiver>>;
type SpawnReceiver = { readonly directory: string; readonly secret: string | null };

async function withReceiver(
  receiver: Receiver,
  options: SpawnReceiver,
  work: (running: RunningReceiver) => Promise<void>,
): Promise<void> {
  const running = await spawnReceiver(receiver, options);
  try {
    await work(running);
  } finally {
    await running.discard();
  }
}

async function spawnReceiver({ language, file, code }: Receiver, { directory, secret }: SpawnReceiver) {
  const path = join(directory, file);
  writeFileSync(path, code);
  const port = await freePort();
  const runtime = runtimes[language as Language];
  const program = language === 'Go' ? await builtByGo(path) : runtime.program;
  const { WEBHOOK_SECRET: _ours, ...environment } = process.env;
  const env = { ...environment, ...(secret !== null && { WEBHOOK_SECRET: secret }), PORT: String(port) };
  const running = follow(
    spawn(program, runtime.args(path, port), { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  const send = async (body: string, signature: string | null): Promise<number> => {
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
  };
  /** The status of the first response. Throws if the receiver has ended. */
  const firstStatus = async (): Promise<number> => {
    for (const deadline = performance.now() + 20_000; ; await pause(50)) {
      try {
        return await send('', null);
      } catch (error) {
        if (running.child.exitCode !== null || performance.now() > deadline) throw error;
      }
    }
  };
  return { ...running, send, firstStatus };
}

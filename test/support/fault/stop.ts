import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { formFields, pageClient } from '../page/client.js';
import { slowness } from '../slowness.js';
import { until, within } from '../wait.js';
import { audit, type FaultReport } from './audit.js';
import type { Running } from './process.js';
import { type FaultSite, inspect, prepareSite, signIn, siteWithReceiver, unfinished } from './service.js';

/** The promised time limit for a stop, whatever is under way. */
const MAX_STOP_MS = 20_000;

/**
 * Sends many acceptance forms at once, each of which needs a password hash, and stops the server shortly after the
 * first responses. Then checks all responses, starts the server again, and checks the registrations and their events.
 */
export async function stopUnderLoad(given: {
  readonly people: number;
  /** How long after the first responses the signal is sent. */
  readonly delayMs: number;
  readonly signal: 'SIGTERM' | 'SIGINT';
}): Promise<FaultReport> {
  const { site, receiver, remove } = await siteWithReceiver((_request, response) =>
    setTimeout(() => response.end('ok'), 800),
  );
  try {
    const server = await site.serve();
    const emails = Array.from({ length: given.people }, (_, index) => `person-${index}@example.test`);
    const forms = await Promise.all(await invitedForms(site, emails));
    const statuses: (number | string)[] = [];
    const sending = forms.map(async (send) => {
      statuses.push(await send().catch((error: unknown) => String(error)));
    });
    // The first responses show that the server has read the requests.
    await until(() => statuses.length >= 2, 10_000);
    await pause(given.delayMs);
    const before = statuses.length;
    const startedAt = performance.now();
    server.child.kill(given.signal);
    await server.see(/"msg":"Stopping/);
    // New connections are still accepted for half a second, and existing ones are served for longer.
    const isClosed = await until(async () => !(await canConnect(site.url)), 600 * slowness());
    await Promise.all(sending);
    const ended = await within(server.ended, MAX_STOP_MS);
    const elapsedMs = Math.round(performance.now() - startedAt);
    const waiting = unfinished(site.file);

    const again = await site.serve();
    await until(() => unfinished(site.file) === 0, 60_000);
    await again.stop();
    const registered = new Set(emails);
    const { counts, problems } = await audit(site.file, {
      attempted: registered,
      acknowledged: registered,
      requests: receiver.requests,
    });
    return {
      counts: {
        'answered before the signal': before,
        'answered after it': statuses.length - before,
        elapsedMs,
        ...counts,
        'sent after the next start': waiting,
      },
      problems: [
        ...statuses.filter((status) => status !== 303).map((status) => `a form in flight: ${status}`),
        ...(before < given.people ? [] : ['no form was in flight']),
        ...(isClosed ? [] : ['it still accepted requests']),
        ...(ended === 'too late' || ended.code !== 0 ? [`it ended with ${codeOf(ended)}`] : []),
        ...(counts['attempts cut off'] === 0 ? [] : ['a delivery under way was cut off']),
        ...problems,
      ],
    };
  } finally {
    await remove();
  }
}

type Form = () => Promise<number>;

/** Opens the pages of new invitations. Each result sends the form of its page. */
async function invitedForms(site: FaultSite, emails: readonly string[]): Promise<readonly Promise<Form>[]> {
  const caller = await signIn(site, site.organization);
  return emails.map(async (email) => {
    const { path } = await caller.invite(email);
    if (path === null) throw new Error(`${email} was not invited`);
    const visitor = pageClient({ url: site.url, origin: site.url });
    const { text } = await visitor.open(path);
    const fields = { ...formFields(text), password: 'long enough' };
    return async () => (await visitor.send({ path, fields })).status;
  });
}

/** Sends requests on new connections just before the server gets a signal. Returns the first line of each response. */
export async function stopWhileConnecting({
  connections,
}: {
  readonly connections: number;
}): Promise<readonly string[]> {
  const site = await prepareSite();
  try {
    const server = await site.serve();
    const sockets = Array.from({ length: connections }, () => connect(site.port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const answers = sockets.map(firstLine);
    for (const socket of sockets) socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    server.child.kill('SIGTERM');
    await server.ended;
    return await Promise.all(answers);
  } finally {
    await site.remove();
  }
}

/** Reads until the connection is closed. Returns the first line, or the error. */
function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', (error) => resolve(error.message));
    socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''));
  });
}

/** Runs a server with one delivery under way whose receiver never responds. */
async function withStuckDelivery<Result>(
  work: (stuck: { readonly site: FaultSite; readonly server: Running }) => Promise<Result>,
): Promise<Result> {
  const { site, receiver, remove } = await siteWithReceiver(() => undefined);
  try {
    const server = await site.serve();
    await site.register({ email: 'ada@example.test' });
    if (!(await until(() => receiver.requests.length === 1, 5000))) throw new Error('nothing was sent');
    return await work({ site, server });
  } finally {
    await remove();
  }
}

/** Sends one signal. The delivery under way must come to its end. */
export function stopWithStuckReceiver(signal: 'SIGTERM' | 'SIGINT') {
  return withStuckDelivery(async ({ site, server }) => {
    const startedAt = performance.now();
    server.child.kill(signal);
    return outcomeOf(site, await within(server.ended, MAX_STOP_MS), startedAt);
  });
}

/** Sends a second signal some time after the first. `waited` is whether the server was still running then. */
export function stopTwice(first: 'SIGTERM' | 'SIGINT', second: 'SIGTERM' | 'SIGINT') {
  return withStuckDelivery(async ({ site, server }) => {
    server.child.kill(first);
    await server.see(/"msg":"Stopping/);
    await pause(700);
    const waited = server.child.exitCode === null;
    const startedAt = performance.now();
    server.child.kill(second);
    return { ...outcomeOf(site, await within(server.ended, MAX_STOP_MS), startedAt), waited };
  });
}

type Ended = Awaited<Running['ended']> | 'too late';

function codeOf(ended: Ended): number | null | 'too late' {
  return ended === 'too late' ? ended : ended.code;
}

function outcomeOf({ file }: FaultSite, ended: Ended, startedAt: number) {
  /** From the last signal to the end. */
  const elapsedMs = Math.round(performance.now() - startedAt);
  return inspect(file, (database) => ({
    code: codeOf(ended),
    elapsedMs,
    state: database.prepare('SELECT state FROM deliveries').pluck().get(),
    attempts: database.prepare('SELECT outcome, phase, reason FROM attempts').all(),
  }));
}

async function canConnect(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(1000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

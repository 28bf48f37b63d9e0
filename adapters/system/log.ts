import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino } from 'pino';

const requireHere = createRequire(import.meta.url);

export type Log = Logger;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields whose values are never logged, at any depth. Names are compared by their letters only, in any spelling. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'accesskey',
  'token',
  'accesstoken',
  'csrf',
  'password',
  'newpassword',
  'passwordhash',
  'secret',
  'encryptedsecret',
  'signingsecret',
  'secretkey',
  'secretkeyprevious',
  'otlurl',
  'invitationurl',
  'databaseurl',
  'readdatabaseurl',
  'sentrydsn',
]);

/** Matches these names as keys of a JSON line, with any separators between their words. */
const SECRET_NAME = new RegExp(
  `"(?:${[...SECRET_NAMES].map((name) => [...name].join('[-_]?')).join('|')})":`,
  'i',
);

/** What our own secrets look like, in texts and addresses: tokens, JSON Web Tokens, signing secrets, access keys. */
const SECRET_SHAPES =
  /\b[0-9a-f]{8}\.(?:[\w-]{22}\.)?[\w-]{43}(?![\w-])|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\bwhsec_[\w+/=-]+|(?<!\d)\d{24}(?!\d)/g;

/** The password in a URL such as a database's. */
const PASSWORD_IN_URL = /(?<=:\/\/[^\s/:@"]*:)[^\s/@"]+(?=@)/g;

/** With more, lines are written before the end of the turn. */
const MAX_WAITING_BYTES = 8_192;
/** After this a full pipe is tried again. */
const PIPE_RETRY_MS = 20;

/**
 * Standard output. The lines of one turn of the event loop are written together, at its end or when the process
 * exits, for whatever reason it can notice; a kill that it can't loses those of the turn.
 */
function standardOutput(): DestinationStream & { flush(done: () => void): void } {
  let waiting = '';
  let isDue = false;
  const write = (): void => {
    isDue = false;
    const lines = waiting;
    waiting = '';
    writeAll(Buffer.from(lines));
  };
  process.on('exit', write);
  return {
    write(line) {
      waiting += line;
      if (waiting.length >= MAX_WAITING_BYTES) return write();
      if (!isDue) setImmediate(write);
      isDue = true;
    },
    flush(done) {
      write();
      done();
    },
  };
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Waits for the reader, for as long as it takes. Lines are lost when there is no reader any more or the disk is full;
 * requests are served all the same. pino's own destination would end the process.
 */
function writeAll(lines: Buffer): void {
  let rest = lines;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(sleeper, 0, 0, PIPE_RETRY_MS);
    }
  }
}

/** Of the last line. */
let second = Number.NaN;
let secondText = '';

/** The timestamp as pino wants it; most lines have the same second as the one before. */
function time(): string {
  const now = Date.now();
  if (Math.floor(now / 1000) !== second) {
    second = Math.floor(now / 1000);
    secondText = new Date(now).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
  }
  return `,"time":"${secondText}.${String(now % 1000).padStart(3, '0')}Z"`;
}

/**
 * One JSON line for each entry on standard output, readable text where that is a terminal (or `pretty` says so).
 * Nothing secret is written, at whatever depth of an entry it is and by whatever module.
 */
export function createLog(options: {
  readonly level: LogLevel;
  readonly pretty?: boolean;
  /** Where the lines go in the place of standard output. */
  readonly destination?: DestinationStream;
}): Log {
  const destination = options.destination ?? standardOutput();
  const readable = options.pretty ?? (options.destination === undefined && process.stdout.isTTY === true);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: time,
      hooks: { streamWrite: withoutSecrets },
    },
    readable ? readableLines(destination) : destination,
  );
}

function readableLines(destination: DestinationStream): DestinationStream {
  // Loaded only where a person reads the log.
  const { isColorSupported, prettyFactory }: typeof import('pino-pretty') = requireHere('pino-pretty');
  const prettify = prettyFactory({ colorize: isColorSupported, singleLine: true });
  return { write: (line) => destination.write(prettify(line) ?? line) };
}

/** The line of the log without anything secret in it. */
function withoutSecrets(line: string): string {
  const named = SECRET_NAME.test(line) ? `${JSON.stringify(JSON.parse(line, censor))}\n` : line;
  return withoutSecretShapes(named);
}

/** What every one of the shapes has; nearly all lines of a log have neither this nor an `@`. */
const PERHAPS_SECRET = /\.[\w-]{43}|\beyJ|whsec_|\d{24}/;

/** The text with `***` in the place of everything that looks like one of our secrets or a password in a URL. */
export function withoutSecretShapes(text: string): string {
  const shapeless = PERHAPS_SECRET.test(text) ? text.replace(SECRET_SHAPES, '***') : text;
  return shapeless.includes('@') ? shapeless.replace(PASSWORD_IN_URL, '***') : shapeless;
}

function censor(name: string, value: unknown): unknown {
  return value !== null && SECRET_NAMES.has(name.replaceAll(/[-_]/g, '').toLowerCase()) ? '***' : value;
}

import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino } from 'pino';

const requireHere = createRequire(import.meta.url);

export type Log = Logger;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields whose values are never logged, at any depth. Only the letters of names are compared, in any case. */
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

/** The forms of our own secrets in texts and URLs: tokens, JSON Web Tokens, signing secrets and access keys. */
const SECRET_SHAPES =
  /\b[0-9a-f]{8}\.(?:[\w-]{22}\.)?[\w-]{43}(?![\w-])|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\bwhsec_[\w+/=-]+|(?<!\d)\d{24}(?!\d)/g;

/** A password in a URL such as that of a database. */
const PASSWORD_IN_URL = /(?<=:\/\/[^\s/:@"]*:)[^\s/@"]+(?=@)/g;

/** When more bytes than this are waiting, they are written before the end of the turn. */
const MAX_WAITING_BYTES = 8_192;
/** The time after which writing to a full pipe is tried again. */
const PIPE_RETRY_MS = 20;

/**
 * Writes to standard output. The lines of one turn of the event loop are written together, at its end or when the
 * process exits. If the process is killed, the lines of the current turn are lost.
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
 * Waits for the reader as long as necessary. If the reader is gone or the disk is full, lines are lost and requests are
 * still served; pino's own destination would end the process.
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

/** The second of the last line, and its text. */
let second = Number.NaN;
let secondText = '';

/** Returns the timestamp as pino expects it. Most lines have the same second as the line before. */
function time(): string {
  const now = Date.now();
  if (Math.floor(now / 1000) !== second) {
    second = Math.floor(now / 1000);
    secondText = new Date(now).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
  }
  return `,"time":"${secondText}.${String(now % 1000).padStart(3, '0')}Z"`;
}

/**
 * Writes each entry as a JSON line to standard output, or as readable text if that is a terminal or `pretty` is true.
 * Secrets are never written, at any depth of an entry and by any module.
 */
export function createLog(options: {
  readonly level: LogLevel;
  readonly pretty?: boolean;
  /** Facts that every JSON line has. */
  readonly facts?: Readonly<Record<string, string>>;
  /** The destination instead of standard output. */
  readonly destination?: DestinationStream;
}): Log {
  const destination = options.destination ?? standardOutput();
  const readable = options.pretty ?? (options.destination === undefined && process.stdout.isTTY === true);
  return pino(
    {
      level: options.level,
      base: options.facts ?? null,
      timestamp: time,
      hooks: { streamWrite: withoutSecrets },
    },
    readable ? readableLines(destination, Object.keys(options.facts ?? {})) : destination,
  );
}

function readableLines(destination: DestinationStream, ignored: readonly string[]): DestinationStream {
  // Loaded only if a person reads the log.
  const { isColorSupported, prettyFactory }: typeof import('pino-pretty') = requireHere('pino-pretty');
  const prettify = prettyFactory({ colorize: isColorSupported, singleLine: true, ignore: ignored.join(',') });
  return { write: (line) => destination.write(prettify(line) ?? line) };
}

/** Returns the log line with `***` in place of every secret. */
function withoutSecrets(line: string): string {
  const named = SECRET_NAME.test(line) ? `${JSON.stringify(JSON.parse(line, censor))}\n` : line;
  return withoutSecretShapes(named);
}

/** A quick check that every secret form passes. Nearly all log lines match neither this nor contain an `@`. */
const PERHAPS_SECRET = /\.[\w-]{43}|\beyJ|whsec_|\d{24}/;

/** Returns the text with `***` in place of everything that looks like one of our secrets or a password in a URL. */
export function withoutSecretShapes(text: string): string {
  const shapeless = PERHAPS_SECRET.test(text) ? text.replace(SECRET_SHAPES, '***') : text;
  return shapeless.includes('@') ? shapeless.replace(PASSWORD_IN_URL, '***') : shapeless;
}

function censor(name: string, value: unknown): unknown {
  return value !== null && SECRET_NAMES.has(name.replaceAll(/[-_]/g, '').toLowerCase()) ? '***' : value;
}

/**
 * Verifies the webhooks that you receive, and signs those of your tests. Uses Web Crypto alone, so that it runs in Node, Deno, Bun and workers.
 */
import type { webhooks } from './generated/openapi.js';

/** The body of a webhook. New events may be added: ignore an `event` that you do not know. */
export type WebhookEvent = WebhookBody<webhooks[keyof webhooks]>;

type WebhookBody<Webhook> = Webhook extends {
  post: { requestBody: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

/** The headers of a request: `request.headers` of Node and Express, or those of the Fetch API. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface WebhookRequest {
  /** The bytes or the text exactly as received. JSON that was parsed and serialized again has other bytes. */
  readonly body: string | Uint8Array | ArrayBuffer;
  readonly headers: WebhookHeaders;
  /** The signing secret as it was shown, including `whsec_`. With several, one of them has to match. */
  readonly secret: string | readonly string[];
  /** The name of the service, which is part of the header: `X-<name>-Signature`. */
  readonly serviceName: string;
  /** How far the signed time may be from `now`, in seconds. 300 by default. */
  readonly toleranceSeconds?: number;
  /**
   * Refuses requests without a signed time (`webhook-timestamp`). Otherwise someone who recorded a request can remove
   * that header and send the request again later, and only its `event_id` shows it. False by default.
   */
  readonly requireTimestamp?: boolean;
  /** The current time by default. */
  readonly now?: Date;
}

/**
 * `missing-signature`: the headers of a signature are missing or malformed. `wrong-signature`: the body was changed, or
 * signed with another secret. `expired`: the signed time is further from now than the tolerance allows.
 * `malformed-body`: the signature is right, but the body is not JSON.
 */
export type WebhookErrorCode = 'missing-signature' | 'wrong-signature' | 'expired' | 'malformed-body';

/** The request is not a genuine webhook. Answer it with 401. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Resolves to the event if one of the secrets signed the request. Otherwise it throws a `WebhookError`. A mistake in the
 * call, such as a parsed body or a missing secret, is a `TypeError`.
 *
 * If the request has the headers of Standard Webhooks, `webhook-signature` is verified, and its signed time must be
 * near `now`. Otherwise `X-<name>-Signature` is verified.
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  if (typeof request !== 'object' || request === null)
    throw new TypeError('verifyWebhook needs { body, headers, secret, serviceName }.');
  const { headers, serviceName, requireTimestamp = false } = request;
  const body = bytesOf(request.body);
  const secrets = secretsOf(request.secret);
  if (typeof headers !== 'object' || headers === null)
    throw new TypeError('headers is missing. Pass the headers of the request, such as request.headers.');
  const standard = STANDARD_HEADERS.map((name) => header(headers, name));
  if (requireTimestamp || standard.some((value) => value !== null))
    await verifyStandard(standard, { ...request, body, secrets });
  else await verifyPlain(header(headers, signatureHeader(serviceName)), { serviceName, body, secrets });

  try {
    return JSON.parse(decoder.decode(body)) as WebhookEvent;
  } catch {
    throw new WebhookError('malformed-body', 'The body is not JSON.');
  }
}

/** A webhook to be signed. */
export interface SignWebhook {
  /** The body, exactly as it will be sent. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** The signing secret, including `whsec_`. With several, as during a rotation, the first one is the new one. */
  readonly secret: string | readonly string[];
  readonly serviceName: string;
  /** The id of the event. A new one by default. */
  readonly eventId?: string;
  /** The name of the event; `user.registered` by default. */
  readonly eventName?: string;
  /** The current time by default. */
  readonly now?: Date;
}

/** Resolves to the headers that the service sends with a webhook, for tests of your receiver. */
export async function signWebhook(webhook: SignWebhook): Promise<Readonly<Record<string, string>>> {
  const { serviceName, eventName = 'user.registered', now = new Date() } = webhook;
  const [body, secrets] = [bytesOf(webhook.body), secretsOf(webhook.secret)];
  const { eventId = crypto.randomUUID() } = webhook;
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signed = copyOf([...encoder.encode(`${eventId}.${timestamp}.`)], body);
  const standard = await Promise.all(
    secrets.map(async (secret) => {
      const key = bytesOfBase64(secret.replace(/^whsec_/, ''));
      if (key === null) throw new TypeError('secret must be whsec_ and Base64.');
      return `v1,${btoa(String.fromCharCode(...(await signatureOf(signed, key))))}`;
    }),
  );
  // The one of the old secret, because receivers get the new one later.
  const plain = await signatureOf(body, copyOf(encoder.encode(secrets.at(-1) ?? '')));
  const name = signatureHeader(serviceName);
  return {
    'Content-Type': 'application/json',
    [name]: `sha256=${[...plain].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`,
    [name.replace(/Signature$/, 'Event')]: eventName,
    [name.replace(/Signature$/, 'Event-Id')]: eventId,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  };
}

async function signatureOf(data: Bytes, bytes: Bytes): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, data));
}

const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
const DEFAULT_TOLERANCE_SECONDS = 300;
/** More are not read, so that a long header does not cost much time. The service sends at most two. */
const MAX_SIGNATURES = 10;
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

/** In an ArrayBuffer, as Web Crypto requires. */
type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Signed {
  readonly body: Bytes;
  readonly secrets: readonly string[];
}

/** Section 6.3: the key is the text of the secret, and the body alone is signed. */
async function verifyPlain(
  signature: string | null,
  { serviceName, body, secrets }: Signed & Pick<WebhookRequest, 'serviceName'>,
): Promise<void> {
  const name = signatureHeader(serviceName);
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(signature ?? '') ?? [];
  if (hex === undefined) {
    const found = signature === null ? 'is missing' : 'must be sha256= and 64 hexadecimal digits';
    throw new WebhookError('missing-signature', `The header ${name} ${found}.`);
  }
  const given = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const keys = secrets.map((secret) => copyOf(encoder.encode(secret)));
  if (!(await isSigned(body, { keys, signatures: [given] }))) throw wrongSignature(name, secrets);
}

/** Standard Webhooks: the key is the decoded secret, and the id and the time are signed too. */
async function verifyStandard(
  [id, timestamp, signature]: readonly (string | null | undefined)[],
  {
    toleranceSeconds = DEFAULT_TOLERANCE_SECONDS,
    now = new Date(),
    body,
    secrets,
  }: Signed & Pick<WebhookRequest, 'toleranceSeconds' | 'now'>,
): Promise<void> {
  if (!id || !/^\d{1,15}$/.test(timestamp ?? '') || !signature)
    throw new WebhookError(
      'missing-signature',
      `The headers ${STANDARD_HEADERS.join(', ')} are needed together. The timestamp is in seconds.`,
    );

  const parts = signature.split(' ', MAX_SIGNATURES);
  const signatures = parts.flatMap((part) => {
    const [version, text = ''] = part.split(',', 2);
    return version === 'v1' ? (bytesOfBase64(text) ?? []) : [];
  });
  const keys = secrets.flatMap((secret) => bytesOfBase64(secret.replace(/^whsec_/, '')) ?? []);
  const signed = copyOf([...encoder.encode(`${id}.${timestamp}.`)], body);
  if (!(await isSigned(signed, { keys, signatures }))) throw wrongSignature('webhook-signature', secrets);

  const seconds = Math.abs(now.getTime() / 1000 - Number(timestamp));
  if (!(seconds <= toleranceSeconds)) {
    const text = `The webhook was signed ${Math.round(seconds)} seconds from now. ${toleranceSeconds} are allowed.`;
    throw new WebhookError('expired', text);
  }
}

/** Whether one of the keys made one of the signatures. Web Crypto compares in constant time. */
async function isSigned(
  data: Bytes,
  { keys, signatures }: { readonly keys: readonly Bytes[]; readonly signatures: readonly Bytes[] },
): Promise<boolean> {
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['verify']);
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, data)) return true;
  }
  return false;
}

function wrongSignature(name: string, secrets: readonly string[]): WebhookError {
  const hint = secrets.every((secret) => /^whsec_\S+$/.test(secret))
    ? ''
    : ' The secret does not look like one of ours: pass it as it was shown, including whsec_, without spaces.';
  return new WebhookError(
    'wrong-signature',
    `The header ${name} was not made with this body and secret.${hint}`,
  );
}

function signatureHeader(serviceName: string): string {
  if (typeof serviceName !== 'string' || serviceName === '')
    throw new TypeError('serviceName is missing. It is the name in the header X-<name>-Signature.');
  return `X-${serviceName.replaceAll(' ', '-')}-Signature`;
}

function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : Array.isArray(secret) ? secret : [];
  if (secrets.length === 0 || secrets.some((text) => typeof text !== 'string' || text === ''))
    throw new TypeError('secret is missing. Pass the signing secret as it was shown, including whsec_.');
  if (secrets.includes('whsec_********'))
    throw new TypeError('secret is masked. Pass the signing secret as it was shown when it was created.');
  if (secrets.some((text) => /whsec_.*whsec_/s.test(text)))
    throw new TypeError(
      'secret holds several signing secrets in one string. Pass them as a list of strings.',
    );
  return secrets;
}

function bytesOf(body: unknown): Bytes {
  if (typeof body === 'string') return copyOf(encoder.encode(body));
  // Not `instanceof`, because test runners have classes of their own.
  if (ArrayBuffer.isView(body)) return copyOf(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]')
    return new Uint8Array(body as ArrayBuffer);
  throw new TypeError(
    'body must be the bytes or the text exactly as received, not parsed. With Express, use express.raw({ type: "application/json" }).',
  );
}

function copyOf(...parts: readonly (Uint8Array | readonly number[])[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** Null if the text is not Base64, or is empty. */
function bytesOfBase64(text: string): Bytes | null {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text) || text === '')
    return null;
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Null if there is no such header. */
function header(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === 'function') return headers.get(name);
  const wanted = name.toLowerCase();
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === wanted) ?? [];
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : (value as readonly string[]).join(', ');
}

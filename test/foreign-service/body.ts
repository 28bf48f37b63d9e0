import type { IncomingMessage } from 'node:http';
import { HttpError } from './errors.js';

/** The fields of a request, not yet checked. */
export type Input = Readonly<Record<string, unknown>>;

const MAX_BODY_BYTES = 102_400;

const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'application/json': parseJson,
  'application/x-www-form-urlencoded': (text) => fieldsOf(new URLSearchParams(text)),
};

/**
 * Reads the fields of a JSON object or a form; no body means no fields. This service does not support multipart forms.
 */
export async function readBody(request: IncomingMessage): Promise<Input> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return {};

  const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';');
  const parse = parsers[mediaType.trim().toLowerCase()];
  if (parse === undefined) {
    const text = `Content-Type must be ${Object.keys(parsers).join(' or ')}`;
    throw new HttpError(415, 'unsupported-media-type', text);
  }
  const input = parse(bytes.toString('utf8'));
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { ...input };
  throw new HttpError(400, 'invalid-request', 'The body must be a JSON object');
}

/** The fields of a query or form; `name[]=` and `name[0]=` are collected under `name`. */
export function fieldsOf(parameters: URLSearchParams): Input {
  const fields = new Map<string, string | string[]>();
  for (const [key, value] of parameters) {
    const name = key.replace(/\[\d*\]$/, '');
    const isList = name !== key || fields.has(name);
    fields.set(name, isList ? [...[fields.get(name) ?? []].flat(), value] : value);
  }
  return Object.fromEntries(fields);
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The rest of an oversized body is read and ignored, so that the client gets to reading the response.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw new HttpError(413, 'body-too-large', 'The body is larger than 100 KB');
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'malformed-body', 'The body is not valid JSON');
  }
}

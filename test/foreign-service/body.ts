import type { IncomingMessage } from 'node:http';
import { HttpError } from './errors.js';

/** What a request brought: the fields of its body, each of whatever type it came as. */
export type Input = Readonly<Record<string, unknown>>;

/** Bytes. */
const LARGEST_BODY = 102_400;

const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'application/json': parseJson,
  'application/x-www-form-urlencoded': (text) => fieldsOf(new URLSearchParams(text)),
};

/** The fields of a JSON object or of a form; none where there is no body. Multipart forms are not read by this service. */
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
    // What is too much is read to its end all the same, so that the client comes to reading the answer.
    if (size <= LARGEST_BODY) chunks.push(chunk);
  }
  if (size > LARGEST_BODY) throw new HttpError(413, 'body-too-large', 'The body is larger than 100 KB');
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'malformed-body', 'The body is not valid JSON');
  }
}

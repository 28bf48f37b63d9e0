import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type busboy from 'busboy';
import type { InputRules, MediaType } from './contract.js';
import { ClientGone, HttpError } from './errors.js';
import { decode } from './query.js';

const requireHere = createRequire(import.meta.url);

const MAX_JSON_DEPTH = 32;
const MAX_FORM_FIELDS = 100;
/** As large as a form can be. */
const MAX_FIELD_BYTES = 102_400;

type Parse = (body: Buffer, request: IncomingMessage) => unknown;

const parsers: Readonly<Record<MediaType, Parse>> = {
  'application/json': parseJson,
  'application/scim+json': parseJson,
  'application/x-www-form-urlencoded': parseForm,
  'multipart/form-data': parseMultipart,
};

/**
 * The body of the request, parsed as its `Content-Type` says; undefined if there is none. The fields of a form are
 * strings, or arrays of strings if a field is given more than once.
 */
export async function readBody(
  request: IncomingMessage,
  { mediaTypes, maxBodyBytes }: Pick<InputRules, 'mediaTypes' | 'maxBodyBytes'>,
): Promise<unknown> {
  if (!mayHaveBody(request)) return undefined;
  const mediaType = checkMediaType(request, mediaTypes);
  const body = request.readableEnded ? parsedBefore(request) : await readBytes(request, maxBodyBytes);
  if (!Buffer.isBuffer(body)) return body;
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw malformed('The body is not valid UTF-8');
  return parsers[mediaType](body, request);
}

/** The body that the surrounding application has already read: parsed, for example by `express.json()`, or as bytes. */
function parsedBefore({ body }: IncomingMessage & { readonly body?: unknown }): unknown {
  return typeof body === 'string' ? Buffer.from(body) : body;
}

/** Whether the head announces a body. */
export function mayHaveBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return headers['content-length'] !== undefined && headers['content-length'] !== '0';
}

function checkMediaType({ headers }: IncomingMessage, allowed: ReadonlySet<MediaType>): MediaType {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') throw unsupported('Content-Encoding must be identity');

  const [essence = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  const mediaType = essence.trim().toLowerCase();
  const known = [...allowed].find((candidate) => candidate === mediaType);
  if (known === undefined) throw unsupported(`Content-Type must be ${[...allowed].join(' or ')}`);
  if (!parameters.every(isReadable)) throw unsupported('The charset must be utf-8');
  return known;
}

/** Whether this parameter of the media type allows a body in UTF-8. */
function isReadable(parameter: string): boolean {
  const [, charset] = /^\s*charset\s*=\s*"?([^"]*)"?\s*$/i.exec(parameter) ?? [];
  return charset === undefined || /^(utf-?8|us-ascii)\s*$/i.test(charset);
}

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    };
    const onClose = (): void => {
      stop();
      reject(new ClientGone('The client left before its body was read'));
    };
    const refuse = (): void => {
      stop();
      // The rest of the body is received and dropped, so that the client can read the answer.
      request.resume();
      reject(bodyTooLarge(maxBytes));
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) refuse();
      else chunks.push(chunk);
    };
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return refuse();
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** Without the byte order mark that some editors write. */
function textOf(body: Buffer): string {
  return body.toString().replace(/^\ufeff/, '');
}

function parseJson(body: Buffer): unknown {
  const text = textOf(body);
  if (isTooDeep(text)) throw malformed(`The body is nested deeper than ${MAX_JSON_DEPTH} levels`);
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON');
  }
}

/** One pass, character by character: a regular expression could take too long on a hostile text. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (isInString && character === '\\') index += 1;
    else if (character === '"') isInString = !isInString;
    else if (!isInString && (character === '[' || character === '{')) depth += 1;
    else if (!isInString && (character === ']' || character === '}')) depth -= 1;
    if (depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}

type Fields = Record<string, string | string[]>;

function parseForm(body: Buffer): Fields {
  const pairs = textOf(body).split('&', MAX_FORM_FIELDS + 1);
  if (pairs.length > MAX_FORM_FIELDS) throw malformed(`The form has more than ${MAX_FORM_FIELDS} fields`);

  const fields = noFields();
  for (const pair of pairs) {
    if (pair === '') continue;
    const [name = '', ...rest] = pair.split('=');
    const [key, value] = [decode(name), decode(rest.join('='))];
    if (key === null || value === null) {
      throw malformed(`The form is not percent-encoded UTF-8, see ${JSON.stringify(name.slice(0, 60))}`);
    }
    add(fields, key, value);
  }
  return fields;
}

function parseMultipart(body: Buffer, request: IncomingMessage): Promise<Fields> {
  return new Promise((resolve, reject) => {
    const fields = noFields();
    const parser = multipartParser(request)
      .on('field', (name, value, { nameTruncated, valueTruncated }) => {
        if (nameTruncated || valueTruncated) reject(malformed('The form has a field that is too long'));
        else add(fields, name, value);
      })
      .on('file', (name, file) => {
        file.resume();
        reject(malformed(`The form must not hold files, see ${JSON.stringify(name.slice(0, 60))}`));
      })
      .on('fieldsLimit', () => reject(malformed(`The form has more than ${MAX_FORM_FIELDS} fields`)))
      .on('error', () => reject(malformed('The body is not a valid multipart form')))
      .on('close', () => resolve(fields));
    parser.end(body);
  });
}

function multipartParser({ headers }: IncomingMessage): busboy.Busboy {
  // Loaded with the first such form: clients send few.
  const createParser: typeof busboy = requireHere('busboy');
  try {
    return createParser({ headers, limits: { fields: MAX_FORM_FIELDS, fieldSize: MAX_FIELD_BYTES } });
  } catch {
    throw malformed('The Content-Type has no valid boundary');
  }
}

/** Without a prototype, so that no name of a field has a meaning. */
function noFields(): Fields {
  return Object.create(null) as Fields;
}

function add(fields: Fields, name: string, value: string): void {
  const present = fields[name];
  if (present === undefined) fields[name] = value;
  else fields[name] = [present, value].flat();
}

function bodyTooLarge(maxBytes: number): HttpError {
  const kilobytes = maxBytes / 1024;
  const size = kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`;
  return new HttpError('body-too-large', { text: `The body is larger than ${size}` });
}

function malformed(text: string): HttpError {
  return new HttpError('malformed-body', { text });
}

function unsupported(text: string): HttpError {
  return new HttpError('unsupported-media-type', { text });
}

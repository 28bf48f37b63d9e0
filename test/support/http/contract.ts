import assert from 'node:assert/strict';
import { type ApiDocument, openapi, operatorApi } from '@rollcall/contracts';
import { emailProblem } from '@rollcall/core/rules';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Json, Reply } from './reply.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addFormat('idn-email', (text: string) => emailProblem('email', text) === null);

type Schema = Readonly<Record<string, unknown>>;

interface Answer {
  readonly headers?: Readonly<Record<string, Schema>>;
  readonly content?: Readonly<
    Record<string, { readonly schema: Schema; readonly examples?: Record<string, Schema> }>
  >;
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: RegExp;
  readonly answers: Readonly<Record<string, Schema>>;
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly reply: Reply;
}

/** A response that a document lists. */
export interface ListedAnswer {
  /** The ID of the operation, or `any path` for responses that belong to none. */
  readonly id: string;
  readonly status: string;
  /** The errors in its examples. */
  readonly errors: readonly string[];
}

/** A document with its name, which failures mention, and the path of its server. */
interface Contract {
  readonly name: string;
  readonly document: ApiDocument;
  readonly base: string;
}

/** What is served outside of the API as well. */
const PROBES = ['/healthz', '/readyz', '/openapi.json'];

/** Whether a path or a value of a query can be decoded. */
export function canDecode(encoded: string): boolean {
  try {
    return decodeURIComponent(encoded) !== undefined;
  } catch {
    return false;
  }
}

/** The checks of the answers that a document lists. */
export function contractOf(contract: Contract) {
  const { name: file, document, base } = contract;

  /** The responses that any request can get, in the form of an operation. */
  const anyPath: Operation = {
    id: 'any path',
    method: '',
    path: /^/,
    answers: document['x-any-path'].responses,
  };

  const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => ['get', 'post', 'patch', 'put', 'delete'].includes(method))
      .map(([method, operation]) => ({
        id: String((operation as Schema).operationId),
        method: method.toUpperCase(),
        path: new RegExp(
          `^${PROBES.includes(path) ? `(${base})?` : base}${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`,
        ),
        answers: (operation as { responses: Record<string, Schema> }).responses,
      })),
  );

  const seen = new Set<string>();

  /** The responses that the document lists. */
  function listedAnswers(): readonly ListedAnswer[] {
    return [...operations, anyPath].flatMap(({ id, answers }) =>
      Object.entries(answers).map(([status, answer]) => ({ id, status, errors: errorsIn(resolve(answer)) })),
    );
  }

  /** The errors in the examples of a response. */
  function errorsIn({ content = {} }: Answer): readonly string[] {
    const examples = Object.values(content['application/json']?.examples ?? {});
    return examples
      .map((example) => errorIn(resolve<{ value: Json }>(example).value))
      .filter((text) => text !== '');
  }

  function errorIn(body: Json): string {
    return [body?.error ?? body?.errors ?? []].flat().join('; ');
  }

  /** Whether a request in this process has got the response. */
  function isSeen({ id, status }: ListedAnswer): boolean {
    return seen.has(`${id} ${status}`);
  }

  /** The errors in the examples of the response that no request in this process has got. */
  function unseenErrors({ id, status, errors }: ListedAnswer): readonly string[] {
    return errors.filter((error) => !seen.has(`${id} ${status} ${error}`));
  }

  /** Fails unless the document lists this response, with its status, headers and body. */
  function checkAnswer(exchange: Exchange): void {
    const operation = operationOf(exchange);
    const isListed = operation?.answers[exchange.reply.status] !== undefined && !isAboutPath(exchange);
    checkAgainst(operation !== undefined && isListed ? operation : anyPath, exchange);
  }

  function operationOf({ method, path }: Exchange): Operation | undefined {
    const [pathname = ''] = path.split('?', 1);
    const listedMethod = method === 'HEAD' ? 'GET' : method;
    return operations.find((operation) => operation.method === listedMethod && operation.path.test(pathname));
  }

  /** A path that cannot be decoded gets the same response from every operation with variables. */
  function isAboutPath({ path, reply }: Exchange): boolean {
    const [pathname = ''] = path.split('?', 1);
    return reply.status === 400 && !canDecode(pathname);
  }

  function checkAgainst({ id, answers }: Operation, { method, path, reply }: Exchange): void {
    const about = `${id}: ${method} ${path.slice(0, 200)} → ${reply.status} ${reply.text.slice(0, 500)}`;
    const found = answers[reply.status];
    assert.ok(found !== undefined, `${file} does not list this response: ${about}`);
    const answer = resolve<Answer>(found);
    checkHeaders(answer, { reply, about });
    checkBody(`${id} ${reply.status} ${method}`, { answer, method, reply, about });
    seen.add(`${id} ${reply.status}`).add(`${id} ${reply.status} ${errorIn(reply.json)}`);
  }

  function checkHeaders(
    { headers = {} }: Answer,
    { reply, about }: { readonly reply: Reply; readonly about: string },
  ): void {
    assert.match(String(reply.headers['x-request-id']), /^[\w.-]{1,128}$/, about);
    assert.match(
      String(reply.headers['content-type']),
      /^[a-z-]+\/[a-z-]+; charset=utf-8(; header=present)?$/,
      about,
    );
    assert.equal(reply.headers['cache-control'], 'no-store', about);
    assert.equal(reply.headers['x-content-type-options'], 'nosniff', about);
    assert.equal(reply.headers['x-powered-by'], undefined, about);
    assert.equal(reply.headers.etag, undefined, about);
    assert.equal(reply.headers['x-error-code'] !== undefined, reply.status >= 400, about);
    for (const [name, header] of Object.entries(headers)) {
      const { schema, required = false } = resolve<{ schema: Schema; required?: boolean }>(header);
      const value = reply.headers[name.toLowerCase()];
      if (value === undefined && !required) continue;
      const isNumber = resolve<Schema>(schema).type === 'integer';
      validate(`header ${JSON.stringify(schema)}`, {
        schema,
        value: isNumber ? Number(value) : value,
        about,
      });
    }
  }

  function checkBody(
    key: string,
    given: {
      readonly answer: Answer;
      readonly method: string;
      readonly reply: Reply;
      readonly about: string;
    },
  ): void {
    const { answer, method, reply, about } = given;
    const [mediaType = ''] = String(reply.headers['content-type']).split(';', 1);
    const listed = answer.content?.[mediaType]?.schema;
    assert.ok(listed !== undefined, `${file} does not list ${mediaType}: ${about}`);
    const schema = method === 'HEAD' ? { const: null } : listed;
    const value = mediaType === 'application/json' || method === 'HEAD' ? reply.json : reply.text;
    validate(`${key} ${mediaType}`, { schema, value, about });
  }

  const compiled = new Map<string, ValidateFunction>();

  function validate(
    key: string,
    { schema, value, about }: { readonly schema: Schema; readonly value: unknown; readonly about: string },
  ): void {
    const isValid = compiled.get(key) ?? ajv.compile({ ...schema, components: document.components });
    compiled.set(key, isValid);
    assert.ok(isValid(value), `${about}\n${ajv.errorsText(isValid.errors)}`);
  }

  /** The target of a reference, or the value itself. */
  function resolve<Thing>(given: Schema): Thing {
    const reference = given.$ref;
    if (typeof reference !== 'string') return given as Thing;
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((parent, name) => (parent as Schema)[name], document);
    return found as Thing;
  }

  return { listedAnswers, isSeen, unseenErrors, checkAnswer };
}

export const { listedAnswers, isSeen, unseenErrors, checkAnswer } = contractOf({
  name: 'openapi.yaml',
  document: openapi(),
  base: '/api/v2',
});

/** The contract of the operator's API. */
export const operatorContract = contractOf({
  name: 'operator.yaml',
  document: operatorApi(),
  base: '/operator/v1',
});

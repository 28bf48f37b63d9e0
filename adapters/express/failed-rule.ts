import type { ProblemCode } from '@rollcall/core';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Schema } from './contract.js';

/** A rule that an input fails: one of openapi.yaml, or an earlier one such as the encoding of a query. */
export interface FailedRule {
  /** The names of the field and of the fields that contain it, separated by dots; empty: the whole input. */
  readonly path: string;
  /** A keyword of JSON Schema, `items` for any problem with an item of a list, or a name of our own. */
  readonly keyword: string;
  /** The problem that a client reads if the request is refused for this rule. */
  readonly code: ProblemCode;
  readonly message: string;
}

/** Translates an error of ajv into plain words. */
export function failedRuleOf(error: ErrorObject): FailedRule {
  const { keyword, instancePath, params } = error;
  const names = instancePath.split('/').slice(1);
  if (keyword === 'required') {
    const path = [...names, params.missingProperty].join('.');
    return { path, keyword, code: 'required', message: 'is required' };
  }
  if (keyword === 'additionalProperties') {
    const name = [...names, params.additionalProperty].filter((part) => !isIndex(part)).join('.');
    return unknownField(name, {
      kind: 'field',
      whole: 'request',
      allowed: Object.keys((error.parentSchema as Schema | undefined)?.properties ?? {}),
    });
  }
  const isItem = isIndex(names.at(-1) ?? '');
  return {
    path: names.filter((name) => !isIndex(name)).join('.'),
    keyword: isItem ? 'items' : keyword,
    code: codeOf(error),
    message: `must ${wordsOf(error, { isItem })}`,
  };
}

const MAX_SHOWN_NAME = 100;

/** The rule that a strict operation's input fails if it has a field that the operation does not have. */
export function unknownField(
  name: string,
  options: { readonly kind: string; readonly whole: string; readonly allowed: readonly string[] },
): FailedRule {
  const { kind, whole, allowed } = options;
  const names = allowed.length === 0 ? 'which has none' : `which has only ${allowed.join(', ')}`;
  return {
    path: name.slice(0, MAX_SHOWN_NAME),
    keyword: 'unknown',
    code: 'not-allowed',
    message: `is not a ${kind} of this ${whole}, ${names}`,
  };
}

function isIndex(name: string): boolean {
  return /^\d+$/.test(name);
}

const codes: Readonly<Record<string, ProblemCode>> = {
  type: 'wrong-type',
  enum: 'not-allowed',
  maxLength: 'too-long',
  minLength: 'empty',
  minItems: 'too-few',
  maxItems: 'too-many',
};

/** The pattern of a text that is not only white space. */
const NOT_BLANK = '\\S';

function codeOf({ keyword, params }: ErrorObject): ProblemCode {
  if (params.pattern === NOT_BLANK) return 'empty';
  return codes[keyword] ?? 'malformed';
}

/** Describes the allowed values, as words that follow "must". */
function wordsOf(
  { keyword, params, parentSchema = {}, message = 'be valid' }: ErrorObject,
  { isItem }: { readonly isItem: boolean },
): string {
  if (keyword === 'type' && params.type === 'array' && parentSchema.items === undefined) return 'be an array';
  if (keyword === 'type') return `be ${isItem ? typeWords.array : wordsOfType(params.type)}`;
  if (keyword === 'enum') return `be one of ${params.allowedValues.join(', ')}`;
  if (params.format === 'uuid') return 'be a UUID';
  if (params.format === 'date-time')
    return 'be a time with its offset from UTC, such as 2026-11-20T18:00:00Z';
  if (params.format === 'idn-email') return 'be an email address such as dana@example.com';
  if (keyword === 'minimum') return `be at least ${params.limit}`;
  if (keyword === 'maximum') return `be at most ${params.limit}`;
  if (keyword === 'maxLength') return `have at most ${params.limit} characters`;
  if (keyword === 'minItems')
    return `have at least ${params.limit} ${params.limit === 1 ? 'entry' : 'entries'}`;
  if (keyword === 'maxItems') return `have at most ${params.limit} entries`;
  if (keyword === 'minLength' || params.pattern === NOT_BLANK) return 'not be empty';
  if (keyword === 'pattern') return `have the form ${formOf(parentSchema)}`;
  return message.replace(/^must /, '');
}

const typeWords = {
  array: 'an array of strings',
  string: 'a string',
  'string,null': 'a string or null',
  boolean: 'true or false',
  integer: 'an integer',
};

function wordsOfType(type: string | readonly string[]): string {
  return (typeWords as Readonly<Record<string, string>>)[String(type)] ?? `of the type ${type}`;
}

/** The form as openapi.yaml describes it up to the first comma, with an example. */
function formOf(schema: Schema): string {
  const form = String(schema.description ?? '').split(', ', 1)[0];
  const [example] = (schema.examples as readonly unknown[] | undefined) ?? [];
  return example === undefined ? `${form}` : `${form}, such as ${example}`;
}

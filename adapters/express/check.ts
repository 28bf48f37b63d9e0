import {
  emailProblem,
  type Field,
  isStorable,
  type Problem,
  type ProblemCode,
  Refusal,
} from '@rollcall/core';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { type InputRules, type Schema, sharedSchemas } from './contract.js';
import { fieldNamed } from './wire-names.js';

/** Picks what an operation reads out of what came, and says everything that is wrong with it at once. */
export type Check = (input: unknown, problems?: readonly Problem[]) => Readonly<Record<string, unknown>>;

const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true });
ajv.addFormat('idn-email', (text: string) => emailProblem('email', text) === null);

/**
 * The check of an operation's input against openapi.yaml, compiled once. An optional field that is empty or
 * null counts as left out, and so does an empty text in a list; a field that the operation does not know is ignored.
 */
export function compileCheck({ fields, required, first, query: { lists } }: InputRules): Check {
  const properties: Record<string, Schema> = {};
  for (const [name, schema] of fields) if (schema !== null) properties[name] = schema;
  const isValid = ajv.compile({
    type: 'object',
    required,
    properties,
    components: { schemas: sharedSchemas },
  });

  return (input, earlier = []) => {
    if (!isObject(input)) throw new Refusal('invalid-request', 'The body must be a JSON object');
    const picked = pick(input, { names: fields.keys(), required, lists });
    const isNothingAsked =
      first !== null &&
      picked[first] === undefined &&
      !earlier.some(({ field }) => field === fieldNamed(first));
    if (isNothingAsked) return {};
    const problems = [...earlier, ...textProblems(picked, Object.keys(properties))];
    if (!isValid(picked)) problems.push(...problemsOf(isValid.errors ?? []));
    if (problems.length > 0)
      throw new Refusal('invalid-request', firstOfEach(problems, [...fields.keys()].map(fieldNamed)));
    return picked;
  };
}

function isObject(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

interface Fields {
  readonly names: Iterable<string>;
  /** Those of them that hold lists. */
  readonly lists: ReadonlySet<string>;
}

function pick(
  input: Readonly<Record<string, unknown>>,
  { names, required, lists }: Pick<InputRules, 'required'> & Fields,
): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const value = lists.has(name) ? withoutEmpty(input[name]) : input[name];
    if (value === undefined) continue;
    if (isEmpty(value) && !required.includes(name)) continue;
    picked[name] = value;
  }
  return picked;
}

/** Without empty texts, as in a query: a list of nothing else counts as left out. */
function withoutEmpty(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const items = value.filter((item) => item !== '');
  return items.length === 0 ? undefined : items;
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === null;
}

/** Text that a database would refuse or change, wherever a field holds text. */
function textProblems(
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
): readonly Problem[] {
  return names
    .filter((name) => [input[name]].flat().some((text) => typeof text === 'string' && !isStorable(text)))
    .map((name) => ({
      field: fieldNamed(name),
      code: 'not-storable',
      message: 'must not contain NUL or half of a surrogate pair',
    }));
}

/** One problem a field, in the order of the fields. */
function firstOfEach(problems: readonly Problem[], fields: readonly (Field | null)[]): readonly Problem[] {
  return fields
    .map((name) => problems.find(({ field }) => field === name))
    .filter((problem) => problem !== undefined);
}

function problemsOf(errors: readonly ErrorObject[]): readonly Problem[] {
  return errors.map((error): Problem => {
    const [, name = ''] = error.instancePath.split('/');
    if (error.keyword === 'required') {
      const field = fieldNamed(error.params.missingProperty);
      return { field, code: 'required', message: 'is required' };
    }
    const field = fieldNamed(name);
    const isItem = error.instancePath !== `/${name}`;
    if (error.keyword === 'type')
      return {
        field,
        code: 'wrong-type',
        message: `must be ${isItem ? 'an array of strings' : typeWords(error)}`,
      };
    return { field, code: codes[error.keyword] ?? 'malformed', message: `must ${words(error)}` };
  });
}

const codes: Readonly<Record<string, ProblemCode>> = {
  enum: 'not-allowed',
  maxLength: 'too-long',
  minLength: 'empty',
};

function typeWords({ params }: ErrorObject): string {
  const names: Readonly<Record<string, string>> = {
    array: 'an array of strings',
    string: 'a string',
    boolean: 'true or false',
  };
  return names[params.type] ?? `of the type ${params.type}`;
}

/** What is allowed, in plain words. */
function words({ keyword, params, parentSchema = {}, message = 'be valid' }: ErrorObject): string {
  if (keyword === 'enum') return `be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'format')
    return params.format === 'idn-email' ? 'be an e-mail address such as dana@example.com' : message;
  if (keyword === 'maxLength') return `have at most ${params.limit} characters`;
  if (keyword === 'minLength' || params.pattern === '\\S') return 'not be empty';
  if (keyword === 'pattern') return `have the form ${description(parentSchema)}`;
  return message.replace(/^must /, '');
}

/** The first sentence that openapi.yaml says about a form, and an example of it. */
function description(schema: Schema): string {
  const form = String(schema.description ?? '').split(', ', 1)[0];
  const [example] = (schema.examples as readonly unknown[] | undefined) ?? [];
  return example === undefined ? `${form}` : `${form}, such as ${example}`;
}

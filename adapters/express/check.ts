import { createRequire } from 'node:module';
import { type Problem, Refusal } from '@rollcall/core';
import { isStorable, webhookUrlProblem } from '@rollcall/core/adapters';
import { clampNumber, emailProblem, parseInstant } from '@rollcall/core/rules';
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { entryRules, type InputRules, inputRules, type OperationId, type Schema } from './contract.js';
import { type FailedRule, failedRuleOf, unknownField } from './failed-rule.js';
import { answerTo, type RuleAnswer } from './rule-answers.js';
import { fieldNamed } from './wire-names.js';

type Fields = Readonly<Record<string, unknown>>;

/** The input of an operation after the check. */
export interface CheckedInput {
  /** Fields that fail a rule are left out, or clamped. */
  readonly input: Fields;
  /** The problems for which the core must refuse the request; see `rule-answers.ts`. */
  readonly problems: readonly Problem[];
}

/** Checks an input. `failed`: the rules that it failed while it was read. Throws a `Refusal`. */
export type Check = (input: unknown, failed?: readonly FailedRule[]) => CheckedInput;

const requireHere = createRequire(import.meta.url);

let known: Ajv2020 | undefined;

/** Loaded with the first input, so that a start does not wait for it. */
function compiler(): Ajv2020 {
  known ??= createCompiler();
  return known;
}

function createCompiler(): Ajv2020 {
  const { Ajv2020 }: typeof import('ajv/dist/2020.js') = requireHere('ajv/dist/2020.js');
  // Tests have checked the document's schemas. Checking them takes as long as compiling them.
  const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true, validateSchema: false });
  ajv.addFormat('int64', true);
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  ajv.addFormat('date-time', (text: string) => parseInstant(text) !== null);
  ajv.addFormat('idn-email', (text: string) => emailProblem('email', text) === null);
  // The webhook's URL is the only one that clients send. An empty one removes it (decision 4).
  ajv.addFormat('uri', (text: string) => text === '' || webhookUrlProblem(text) === null);
  return ajv;
}

/**
 * Returns the check of an operation's input. The rules of openapi.yaml are compiled once, with the first input, because all
 * of them take a sixth of the start. `rule-answers.ts` decides what happens to a field that fails one. Fields that the
 * operation does not have are ignored.
 */
export function compileCheck(id: OperationId): Check {
  return compileRules(id, inputRules(id));
}

/** Returns the check of an entry of a list that openapi.yaml marks with `x-each`. */
export function compileEntryCheck(id: OperationId, list: string): Check {
  const check = compileRules(id, entryRules(id, list));
  return (entry) => {
    if (!isObject(entry)) throw new Refusal('invalid-request', [notAnEntry]);
    return check(entry);
  };
}

const notAnEntry: Problem = { field: null, code: 'wrong-type', message: 'The entry must be an object' };

function compileRules(id: OperationId, rules: InputRules): Check {
  const { fields, required, first, sharedSchemas } = rules;
  let compiled: ValidateFunction | undefined;
  const compile = (): ValidateFunction =>
    compiler().compile({
      type: 'object',
      required,
      properties: Object.fromEntries(fields),
      components: { schemas: sharedSchemas },
    });

  return (received, failedBefore = []) => {
    if (!isObject(received)) return answerAll([notAnObject], { id, rules, input: {} });
    const input = pick(received, rules);
    const isNothingRequested =
      first !== null && input[first] === undefined && !failedBefore.some(({ path }) => path === first);
    if (isNothingRequested) return { input: {}, problems: [] };
    const failed = [...failedBefore, ...unknownFields(received, rules), ...notStorable(input, rules)];
    compiled ??= compile();
    const isValid = compiled;
    if (!isValid(input)) failed.push(...(isValid.errors ?? []).map(failedRuleOf));
    return answerAll(failed, { id, rules, input });
  };
}

const notAnObject: FailedRule = {
  path: '',
  keyword: 'type',
  code: 'wrong-type',
  message: 'The body must be a JSON object',
};

interface Checked {
  readonly id: OperationId;
  readonly rules: InputRules;
  readonly input: Fields;
}

function answerAll(failed: readonly FailedRule[], { id, rules, input }: Checked): CheckedInput {
  let checked = input;
  const refused: Problem[] = [];
  const reported: Problem[] = [];
  for (const rule of firstOfEach(failed, rules)) {
    const { path, code, message } = rule;
    const answer = answerTo(id, rule);
    if (answer === 'refuse') refused.push(problemWith(path, { code, message }));
    else if (typeof answer === 'object' && 'refuse' in answer) refused.push(answer.refuse);
    else if (answer === 'clamp') checked = { ...checked, [path]: clamp(input[path], rules.fields.get(path)) };
    else {
      checked = without(checked, path);
      if (answer !== 'leave-out') reported.push(...problemsOf(answer, valueAt(input, path)));
    }
  }
  if (refused.length > 0) throw new Refusal('invalid-request', refused);
  return { input: checked, problems: reported };
}

/** A problem with a field that the core does not have names the field in its message. */
function problemWith(path: string, { code, message }: Pick<Problem, 'code' | 'message'>): Problem {
  const field = fieldNamed(path);
  return { field, code, message: field === null && path !== '' ? `${path} ${message}` : message };
}

/** The first rule that each field fails, in the order of the fields. */
function firstOfEach(failed: readonly FailedRule[], { fields }: InputRules): readonly FailedRule[] {
  const names = ['', ...fields.keys()];
  const rank = ({ path }: FailedRule): number => names.indexOf(outerName(path));
  const first = failed.filter((rule, index) => failed.findIndex(({ path }) => path === rule.path) === index);
  return first.sort((a, b) => rank(a) - rank(b));
}

function problemsOf(
  answer: Extract<RuleAnswer, { report: Problem } | { reportFor: unknown }>,
  value: unknown,
): readonly Problem[] {
  const problem = 'report' in answer ? answer.report : answer.reportFor(value);
  return problem === null ? [] : [problem];
}

function clamp(value: unknown, schema: Schema = {}): number {
  const { minimum = 1, maximum } = schema as { minimum?: number; maximum?: number };
  const { default: otherwise = maximum ?? minimum } = schema as { default?: number };
  return clampNumber(value, { from: minimum, to: maximum ?? Number.MAX_SAFE_INTEGER, otherwise });
}

function outerName(path: string): string {
  return path.split('.', 1)[0] ?? '';
}

function valueAt(input: Fields, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), input);
}

function without(input: Fields, path: string): Fields {
  const name = outerName(path);
  const { [name]: value, ...others } = input;
  if (name === path || !isObject(value)) return others;
  return { ...others, [name]: without(value, path.slice(name.length + 1)) };
}

function isObject(input: unknown): input is Fields {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

/** The fields of a body that a strict operation does not have. In a query, `readQuery` finds them. */
function unknownFields(received: Fields, { from, fields, isStrict }: InputRules): readonly FailedRule[] {
  if (!isStrict || from !== 'body') return [];
  const allowed = [...fields.keys()];
  return Object.keys(received)
    .filter((name) => !fields.has(name))
    .map((name) => unknownField(name, { kind: 'field', whole: 'request', allowed }));
}

/** The fields of the operation, without those that count as left out. */
function pick(input: Fields, { fields, lists, required, isEmptyLeftOut }: InputRules): Fields {
  const picked: Record<string, unknown> = {};
  for (const name of fields.keys()) {
    if (!Object.hasOwn(input, name)) continue;
    const value = lists.has(name) ? withoutEmpty(input[name]) : input[name];
    if (value === undefined) continue;
    if (isEmptyLeftOut && isEmpty(value) && !required.includes(name)) continue;
    picked[name] = value;
  }
  return picked;
}

/** Removes empty texts from a list, as in a query. A list without other items counts as left out. */
function withoutEmpty(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const items = value.filter((item) => item !== '');
  return items.length === 0 ? undefined : items;
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === null;
}

/** The fields with text that a database would refuse or change. */
function notStorable(input: Fields, { fields }: InputRules): readonly FailedRule[] {
  return Object.keys(input)
    .filter((name) => fields.get(name)?.['x-each'] !== true)
    .filter((name) => [input[name]].flat().some((text) => typeof text === 'string' && !isStorable(text)))
    .map((path) => ({
      path,
      keyword: 'storable',
      code: 'not-storable',
      message: 'must not contain NUL or half of a surrogate pair',
    }));
}

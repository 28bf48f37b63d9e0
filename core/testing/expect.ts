import type { StorageMethod } from './part-of-storage.js';

/** A test of one promise of a port, for any test runner. */
export interface ContractTest {
  /** The port and the promise in words. */
  readonly name: string;
  /** Tests an adapter started for this test alone. Rejects if the promise is broken; the message begins with the name. */
  run(): Promise<void>;
  /** The methods of the storage that the test uses; none in suites of ports that store nothing. */
  needs(): Promise<readonly StorageMethod[]>;
  /** Those of them that the storage under test lacks. If there are any, `run` rejects and names them. */
  missing(): Promise<readonly StorageMethod[]>;
}

const MAX_ERROR_BYTES = 2000;

/** Makes a test. Its error begins with the name, is at most 2 kB long, and has the original error as its cause. */
export function promise(name: string, run: () => Promise<void>): ContractTest {
  return {
    name,
    async run() {
      try {
        await run();
      } catch (cause) {
        const message = `${name}\n${cause instanceof Error ? cause.message : String(cause)}`;
        throw new Error(cutBytes(message), { cause });
      }
    },
    needs: async () => [],
    missing: async () => [],
  };
}

function cutBytes(message: string): string {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= MAX_ERROR_BYTES) return message;
  // The last character may be cut in its middle.
  return new TextDecoder().decode(bytes.subarray(0, MAX_ERROR_BYTES)).replace(/\uFFFD$/, '');
}

/** Errors cut longer values, so that no error is longer than 2 kB. */
const MAX_SHOWN_CHARACTERS = 400;

/** Fails unless both values are deeply equal. The error names the first difference and shows both values there. */
export function expectEqual(actual: unknown, expected: unknown): void {
  const difference = firstDifference(actual, expected, '');
  if (difference === null) return;
  const { path, actual: got, expected: expectedHere } = difference;
  const where = path === '' ? '' : ` at ${cut(path)}`;
  throw new Error(`Expected${where}: ${show(expectedHere)}\nbut got: ${show(got)}`);
}

export function expectTrue(condition: boolean, message: string): void {
  if (!condition) throw new Error(cut(message));
}

/** Fails unless `work` throws or rejects with an error of this type. Returns the error. */
export async function expectThrow<Expected extends Error>(
  type: abstract new (...parameters: never[]) => Expected,
  work: () => unknown,
): Promise<Expected> {
  try {
    await work();
  } catch (error) {
    if (error instanceof type) return error;
    throw new Error(`Expected another error than ${show(String(error))}`, { cause: error });
  }
  throw new Error('Expected an error, but there was none');
}

/** Fails unless `work` rejects with the error that the function throws which it is given. */
export async function expectPassedOn(work: (fail: () => never) => Promise<unknown>): Promise<void> {
  const failure = new Error('an error to pass on');
  const fail = (): never => {
    throw failure;
  };
  expectEqual(await expectThrow(Error, () => work(fail)), failure);
}

/** Fails unless one of the answers is an object, and each of the others is this reason. */
export function expectOneSuccess(answers: readonly unknown[], reason: string): void {
  const [success, ...others] = answers.filter((answer) => answer !== reason);
  expectEqual([typeof success, others], ['object', []]);
}

/** What each of the values has under this key. */
export function each<Value, Key extends keyof Value>(
  values: readonly Value[] | undefined,
  key: Key,
): readonly Value[Key][] | undefined {
  return values?.map((value) => value[key]);
}

/** What each of the values has under these keys. */
export function rows<Value>(
  values: readonly Value[] | undefined,
  ...keys: readonly (keyof Value)[]
): readonly (readonly unknown[])[] | undefined {
  return values?.map((value) => keys.map((key) => value[key]));
}

/** Calls `work` this many times at once and returns the results in order. */
export async function atOnce<Result>(
  times: number,
  work: (index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => work(index)));
}

interface Difference {
  readonly path: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

/** Stands for an element that the value does not have. */
const missing = Symbol('nothing');

function firstDifference(actual: unknown, expected: unknown, path: string): Difference | null {
  if (Object.is(actual, expected)) return null;
  if (actual instanceof Date && expected instanceof Date && Object.is(actual.getTime(), expected.getTime()))
    return null;
  if (typeof actual === 'string' && typeof expected === 'string')
    return differentTexts(actual, expected, path);
  if (!isComparable(actual) || !isComparable(expected) || Array.isArray(actual) !== Array.isArray(expected))
    return { path, actual, expected };
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  for (const key of keys) {
    const at = Array.isArray(expected) ? `${path}[${key}]` : `${path}${path === '' ? '' : '.'}${key}`;
    const difference = firstDifference(element(actual, key), element(expected, key), at);
    if (difference !== null) return difference;
  }
  return null;
}

function element(of: object, key: string): unknown {
  return Object.hasOwn(of, key) ? Reflect.get(of, key) : missing;
}

/** Whether the value is compared element by element. */
function isComparable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

/** Cuts long texts, so that they start shortly before the first different character. */
function differentTexts(actual: string, expected: string, path: string): Difference {
  if (Math.max(actual.length, expected.length) <= MAX_SHOWN_CHARACTERS) return { path, actual, expected };
  let at = 0;
  while (actual[at] === expected[at]) at += 1;
  const from = Math.max(0, at - 40);
  const place = `${path}${path === '' ? '' : ', '}character ${at}`;
  return { path: place, actual: actual.slice(from), expected: expected.slice(from) };
}

function show(value: unknown): string {
  if (value === missing) return 'nothing';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString();
  if (value instanceof Error) return cut(`${value.name}: ${value.message}`);
  return cut(JSON.stringify(value, null, 2) ?? String(value));
}

function cut(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}

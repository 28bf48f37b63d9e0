/** A test of one promise of a port, for any test runner. `run` rejects if the test fails. */
export interface ContractTest {
  readonly name: string;
  run(): Promise<void>;
}

/** Fails unless both values are deeply equal. The error shows both. */
export function expectEqual(actual: unknown, expected: unknown): void {
  if (isEqual(actual, expected)) return;
  throw new Error(`Expected ${show(expected)}\nbut got  ${show(actual)}`);
}

export function expectTrue(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** Fails unless `work` rejects with an error that `isExpected` accepts. */
export async function expectThrow(
  work: () => Promise<unknown>,
  isExpected: (error: unknown) => boolean,
): Promise<void> {
  let caught: unknown;
  try {
    await work();
  } catch (error) {
    caught = error;
  }
  if (caught === undefined) throw new Error('Expected an error, but there was none');
  if (!isExpected(caught)) throw caught;
}

/** Calls `work` this many times at once and returns the results. */
export async function atOnce<Result>(
  times: number,
  work: (index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => work(index)));
}

function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (one instanceof Date || other instanceof Date || Array.isArray(one) !== Array.isArray(other))
    return false;

  const keys = Object.keys(one);
  const isSameSize = keys.length === Object.keys(other).length;
  return isSameSize && keys.every((key) => isEqual(Reflect.get(one, key), Reflect.get(other, key)));
}

function show(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? String(value);
}

/** One promise of a port, as a test that any runner can run: it ends well or throws. */
export interface ContractTest {
  readonly name: string;
  run(): Promise<void>;
}

/** Fails unless both are equal by value; the error shows both. */
export function expectEqual(actual: unknown, expected: unknown): void {
  if (isEqual(actual, expected)) return;
  throw new Error(`Expected ${show(expected)}\nbut got  ${show(actual)}`);
}

export function expectTrue(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

/** Fails unless it throws what `is` recognises. */
export async function expectThrow(
  work: () => Promise<unknown>,
  is: (error: unknown) => boolean,
): Promise<void> {
  let caught: unknown;
  try {
    await work();
  } catch (error) {
    caught = error;
  }
  if (caught === undefined) throw new Error('Expected an error, but there was none');
  if (!is(caught)) throw caught;
}

/** Calls `work` so many times at once and gives the answers. */
export async function atOnce<Answer>(
  times: number,
  work: (index: number) => Promise<Answer>,
): Promise<readonly Answer[]> {
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

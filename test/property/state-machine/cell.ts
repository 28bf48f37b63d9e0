/** The form of a value that the service chooses, such as an id. */
export interface Form {
  /** A short word for its name in scripts, such as `invitation`. */
  readonly name: string;
  readonly text: RegExp;
  /** Whether no other value of any cell may equal it. */
  readonly isFresh?: boolean;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const forms = {
  accessKey: { name: 'key', text: /^\d{24}$/, isFresh: true },
  token: { name: 'token', text: /^[\w-]+\.[\w-]+\.[\w-]+$/ },
  invitation: { name: 'invitation', text: uuid, isFresh: true },
  member: { name: 'member', text: uuid },
  userNumber: { name: 'user_number', text: /^\d+$/ },
  url: { name: 'url', text: /^http:\/\/localhost:3000\/(invitations|login)\/[\w.-]+$/, isFresh: true },
  webhook: { name: 'webhook', text: /^\d+$/ },
  secret: { name: 'secret', text: /^whsec_[A-Za-z0-9+/]{43}=$/, isFresh: true },
  delivery: { name: 'delivery', text: /^\d+$/ },
  event: { name: 'event', text: uuid, isFresh: true },
  cursor: { name: 'cursor', text: /^\S+$/ },
  time: { name: 'time', text: time },
} satisfies Record<string, Form>;

/** A value that the service chooses. It is unknown until an answer shows it, and stays the same from then on. */
export class Cell {
  value: string | number | undefined;
  readonly form: Form;
  /** The organization that alone may see the value; null: both may. */
  owner: number | null;
  /** The only values that it can have; null: any of its form. */
  readonly among: readonly unknown[] | null;

  constructor(form: Form, owner: number | null, among: readonly unknown[] | null = null) {
    this.form = form;
    this.owner = owner;
    this.among = among;
  }

  toString(): string {
    return String(this.value ?? `unknown ${this.form.name}`);
  }
}

/** Whether a cell and a part of a path are the same value: two cells can have the UUID of one person (decision 36). */
export function isSame(cell: Cell, part: Cell | string): boolean {
  return cell === part || cell.value === String(part);
}

/** One of several values that the specification allows. */
export class Either {
  readonly options: readonly unknown[];
  constructor(...options: readonly unknown[]) {
    this.options = options;
  }
}

/** A part of an answer that is compared by a function, which returns the difference or null. */
export class Compared {
  readonly text: string;
  readonly compare: Compare;

  constructor(text: string, compare: Compare) {
    this.text = text;
    this.compare = compare;
  }
}

type Compare = (seen: unknown, draft: Draft, path: string) => string | null;

/** What the cells of an answer would hold, until the whole answer is compared. */
export class Draft {
  readonly values = new Map<Cell, string | number>();
  /** Where the answer has the values, such as `body.user.id`. */
  readonly paths = new Map<Cell, string>();
  /** Every value of a cell so far. */
  private readonly known: ReadonlyMap<string | number, Cell>;

  constructor(known: ReadonlyMap<string | number, Cell>) {
    this.known = known;
  }

  copy(): Draft {
    const draft = new Draft(this.known);
    draft.take(this);
    return draft;
  }

  take(from: Draft): void {
    for (const [cell, value] of from.values) this.values.set(cell, value);
    for (const [cell, path] of from.paths) this.paths.set(cell, path);
  }

  valueOf(cell: Cell): string | number | undefined {
    return cell.value ?? this.values.get(cell);
  }

  /** Why the cell cannot have the value, or null. */
  bind(cell: Cell, seen: unknown, path: string): string | null {
    const value = this.valueOf(cell);
    if (value !== undefined) return value === seen ? null : `${JSON.stringify(value)} (as before)`;
    if (typeof seen !== 'string' && typeof seen !== 'number') return `a ${cell.form.name}`;
    if (!cell.form.text.test(String(seen))) return `a ${cell.form.name} like ${cell.form.text}`;
    if (cell.among !== null && !cell.among.includes(seen)) return `one of ${JSON.stringify(cell.among)}`;
    const isTaken = this.known.has(seen) || [...this.values.values()].includes(seen);
    if (cell.form.isFresh === true && isTaken) return `a new ${cell.form.name}`;
    this.values.set(cell, seen);
    this.paths.set(cell, path);
    return null;
  }
}

/**
 * The first difference between what is expected and what was seen, or null. Expected is JSON with cells, regular
 * expressions for texts, `Either` and `Compared`.
 */
export function difference(expected: unknown, seen: unknown, draft: Draft, path = 'body'): string | null {
  const unlike = (text: string): string => `${path} is ${JSON.stringify(seen)?.slice(0, 300)}, not ${text}`;
  if (expected instanceof Cell) {
    const why = draft.bind(expected, seen, path);
    return why === null ? null : unlike(why);
  }
  if (expected instanceof RegExp)
    return typeof seen === 'string' && expected.test(seen) ? null : unlike(`a text like ${expected}`);
  if (expected instanceof Compared) return expected.compare(seen, draft, path);
  if (expected instanceof Either) {
    const reasons: string[] = [];
    for (const option of expected.options) {
      const tried = draft.copy();
      const reason = difference(option, seen, tried, path);
      if (reason === null) {
        draft.take(tried);
        return null;
      }
      reasons.push(reason);
    }
    return reasons.join('\n  or ');
  }
  if (expected === null || typeof expected !== 'object')
    return expected === seen ? null : unlike(JSON.stringify(expected));
  if (Array.isArray(expected)) {
    if (!Array.isArray(seen)) return unlike('a list');
    for (const [index, item] of expected.entries()) {
      if (index >= seen.length) return `${path} ends before item ${index}: ${shown(item)}`;
      const found = difference(item, seen[index], draft, `${path}[${index}]`);
      if (found !== null) return found;
    }
    return seen.length === expected.length
      ? null
      : `${path} has ${seen.length} items, not ${expected.length}: ${JSON.stringify(seen[expected.length])}`;
  }
  if (seen === null || typeof seen !== 'object' || Array.isArray(seen)) return unlike('an object');
  const fields = expected as Readonly<Record<string, unknown>>;
  const found = seen as Readonly<Record<string, unknown>>;
  const names = new Set([...Object.keys(fields), ...Object.keys(found)]);
  for (const name of names) {
    if (!(name in found)) return `${path}.${name} is missing`;
    if (!(name in fields)) return `${path}.${name} is there: ${JSON.stringify(found[name])}`;
    const inner = difference(fields[name], found[name], draft, `${path}.${name}`);
    if (inner !== null) return inner;
  }
  return null;
}

/** What is expected, as text with the values that are known. */
export function shown(expected: unknown, draft?: Draft): string {
  return JSON.stringify(expected, (_key, value: unknown) => {
    if (value instanceof Cell) {
      const known = draft?.valueOf(value) ?? value.value;
      if (known !== undefined) return known;
      return value.among === null ? `<${value.form.name}>` : `<one of ${value.among.join(', ')}>`;
    }
    if (value instanceof RegExp) return `<like ${value}>`;
    if (value instanceof Compared) return `<${value.text}>`;
    if (value instanceof Either)
      return `<${value.options.map((option) => shown(option, draft)).join(' or ')}>`;
    return value;
  });
}

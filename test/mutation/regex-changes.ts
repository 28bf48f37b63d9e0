/** Regular expressions that match more or less than this literal. */
export function regexChanges(literal: string): readonly string[] {
  const slash = literal.lastIndexOf('/');
  const body = literal.slice(1, slash);
  const flags = literal.slice(slash + 1);
  const bodies = new Set(['(?!)']);
  for (const { start, end, text } of bodyChanges(body))
    bodies.add(body.slice(0, start) + text + body.slice(end));
  bodies.delete(body);
  bodies.delete('');
  return [
    ...[...bodies].map((changed) => `/${changed}/${flags}`),
    ...[...flags]
      .filter((flag) => 'gims'.includes(flag))
      .map((flag) => `/${body}/${flags.replace(flag, '')}`),
  ];
}

interface BodyChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Drops anchors and changes how often something may occur. Character classes stay as they are. */
function bodyChanges(body: string): readonly BodyChange[] {
  const changes: BodyChange[] = [];
  const tokens = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[!=]|:|<\w+>)|\{(\d+)(?:(,)(\d*))?\}|[\^$*+?]/gs;
  for (const match of body.matchAll(tokens)) {
    const [token, least = '', comma, most = ''] = match;
    const text = token.startsWith('{') ? counts(Number(least), comma, most) : replacements[token];
    if (text !== undefined) changes.push({ start: match.index, end: match.index + token.length, text });
  }
  return changes;
}

const replacements: Readonly<Record<string, string>> = { '^': '', $: '', '*': '+', '+': '*', '?': '' };

function counts(least: number, comma: string | undefined, most: string): string {
  if (comma === undefined) return `{${least},}`;
  return most === '' ? `{${least + 1},}` : `{${least},${Number(most) + 1}}`;
}

import { Cell, shown } from './cell.js';
import type { RecordedCall, RecordedNote } from './run-of-calls.js';

/**
 * The calls of a sequence as a bash script for a service that is running. What the service chooses is in variables, which
 * later calls use. Each call is followed by the answer that the model expects and the one that was seen.
 */
export function curlScript(
  calls: readonly (RecordedCall | RecordedNote)[],
  { why, replay }: { readonly why: string; readonly replay: string },
): string {
  const names = namesOf(calls);
  const organizations = new Set(
    calls.flatMap((call) => ('sent' in call ? (call.sent.organization?.id ?? []) : [])),
  );
  const body = calls.flatMap((call) => ('sent' in call ? callLines(call, names) : noteLines(call, names)));
  return `${[
    '#!/usr/bin/env bash',
    ...comment(why),
    `# Again: ${replay}`,
    '# Two organizations, their members and their meetings are there from the beginning (setup.ts). Set the variables to',
    '# those of your service, and do by hand what the comments say: time passes, endpoints answer.',
    `BASE_URL="\${BASE_URL:-http://localhost:3000/api/v2}"`,
    ...[...organizations].map((id) => `ORGANIZATION_${id}="\${ORGANIZATION_${id}:-${id}}"`),
    // The value at a path of the last answer, such as .user.id
    `field() { node -pe "JSON.parse(process.argv[1])$1" "$ANSWER"; }`,
    `call() {`,
    `  ANSWER=$(curl -sS -g -w '\\n%{http_code}' "$@")`,
    `  STATUS=$(printf '%s' "$ANSWER" | tail -n 1)`,
    `  ANSWER=$(printf '%s' "$ANSWER" | sed '$d')`,
    `  printf '%s %s\\n' "$STATUS" "$ANSWER"`,
    '}',
    '',
    ...body,
  ].join('\n')}\n`;
}

/** A variable for each cell that a later call uses. */
function namesOf(calls: readonly (RecordedCall | RecordedNote)[]): ReadonlyMap<Cell, string> {
  const names = new Map<Cell, string>();
  const counts = new Map<string, number>();
  for (const call of calls) {
    const cells = 'sent' in call ? [...call.captured.keys()] : madeBy(call);
    for (const cell of cells) {
      if (names.has(cell)) continue;
      const count = (counts.get(cell.form.name) ?? 0) + 1;
      counts.set(cell.form.name, count);
      names.set(cell, `${cell.form.name.toUpperCase()}_${count}`);
    }
  }
  return names;
}

/** An access key that a note makes is its first part. */
function madeBy({ command }: RecordedNote): readonly Cell[] {
  const first = command?.[0];
  return first instanceof Cell ? [first] : [];
}

function noteLines({ note, command }: RecordedNote, names: ReadonlyMap<Cell, string>): readonly string[] {
  if (command === null) return [`# ${note}`, ''];
  const [first, ...rest] = command;
  const text = (parts: typeof command): string =>
    parts.map((part) => (part instanceof Cell ? `$${names.get(part) ?? part}` : part)).join('');
  if (!(first instanceof Cell)) return [`# ${note}`, text(command), ''];
  const name = names.get(first);
  return [`# ${note}`, `${name}="\${${name}:-$(${text(rest)})}"`, ''];
}

function callLines(call: RecordedCall, names: ReadonlyMap<Cell, string>): readonly string[] {
  const { sent, reply, expected, captured } = call;
  const { call: asked, organization, token } = sent;
  const known = (text: string): string => withVariables(text, names, captured);
  const isOutside = organization === null || asked.isOutside === true;
  const [, path = ''] = isOutside
    ? (/^\/api\/v2(.*)$/s.exec(call.path) ?? [])
    : (/^\/api\/v2\/organizations\/[^/?]+(.*)$/s.exec(call.path) ?? []);
  const base = isOutside ? '$BASE_URL' : `$BASE_URL/organizations/$ORGANIZATION_${organization.id}`;
  const headers = [
    ...(token === null ? [] : [`Authorization: Bearer ${token instanceof Cell ? token.value : token}`]),
    ...Object.entries(asked.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(asked.json === undefined ? [] : ['Content-Type: application/json']),
    ...(asked.body === undefined ? [] : [`Content-Type: ${asked.body.type}`]),
  ];
  const data = asked.json === undefined ? asked.body?.text : shown(asked.json);
  const words = [
    'call',
    ...(asked.method === 'GET' ? [] : ['-X', asked.method]),
    `"${base}${known(inDoubleQuotes(path))}"`,
    ...headers.flatMap((header) => ['-H', `"${known(inDoubleQuotes(header))}"`]),
    ...(data === undefined ? [] : ['-d', quotedData(known(inDoubleQuotes(data)))]),
  ];
  const used = [...captured].filter(([cell]) => names.has(cell));
  return [
    words.join(' '),
    ...comment(`expected ${expected}`),
    ...comment(`seen     ${reply.status} ${reply.text.trim()}`),
    ...used.flatMap(([cell, path]) => capture(names.get(cell), path)),
    '',
  ];
}

/** Takes a value out of an answer. Those of lines of CSV and NDJSON are not used. */
function capture(name: string | undefined, path: string): readonly string[] {
  if (name === undefined || !path.startsWith('body.')) return [];
  return [`${name}=$(field '${path.slice('body'.length)}')`];
}

function withVariables(
  text: string,
  names: ReadonlyMap<Cell, string>,
  captured: ReadonlyMap<Cell, string>,
): string {
  let result = text;
  for (const [cell, name] of names) {
    const isLater = captured.has(cell);
    const value = String(cell.value);
    // Short numbers, such as the id of a delivery, are replaced only as a part of a path.
    if (cell.value === undefined || isLater) continue;
    if (value.length >= 20) result = result.replaceAll(value, `\${${name}}`);
    else if (cell.form.name === 'delivery')
      result = result.replace(`/webhook/deliveries/${value}`, `/webhook/deliveries/\${${name}}`);
  }
  return result;
}

function inDoubleQuotes(text: string): string {
  return text.replaceAll(/[\\"$`!]/g, (mark) => (mark === '!' ? '!' : `\\${mark}`));
}

function quotedData(text: string): string {
  return `"${text}"`;
}

function comment(text: string): readonly string[] {
  return text.split('\n').map((line) => `# ${line}`);
}

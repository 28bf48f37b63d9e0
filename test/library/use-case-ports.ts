import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../support/packing.js';

/**
 * Generates the table in `core/README.md` with the ports of each use-case, from the types of the use-cases. To write it
 * again: `npm run build:test && node test/dist/library/use-case-ports.js`.
 */
const chapters = ['access', 'users', 'meetings', 'webhooks'] as const;
const readme = join(root, 'core', 'README.md');
const begin = '<!-- The table of ports begins; it is generated. -->\n';
const end = '<!-- The table of ports ends. -->\n';

/** The needs of each use-case, by chapter, in the order of its factory. */
export function useCasePorts(): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  return new Map(
    chapters.map((chapter) => {
      const factory = readCore(`${chapter}/create-${chapter}.ts`);
      const names = [...factory.matchAll(/^ {4}(\w+): \(/gm)].map(([, name = '']) => name);
      return [chapter, new Map(names.map((name) => [name, usesOf(chapter, name)]))];
    }),
  );
}

/** The ports are in the type of the first parameter, which may be an alias in another file of the chapter. */
function usesOf(chapter: string, name: string): readonly string[] {
  const file = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const source = readCore(`${chapter}/${file}.ts`);
  const [, alias] = new RegExp(`function ${name}\\(\\s*deps: (\\w+),`).exec(source) ?? [];
  const [, uses = ''] =
    alias === undefined
      ? (new RegExp(`function ${name}\\b[^]*?Uses<([^>]*)>`).exec(source) ?? [])
      : (new RegExp(`type ${alias} = Uses<([^>]*)>`).exec(readChapter(chapter)) ?? []);
  return [...uses.matchAll(/'([\w.]+)'/g)].map(([, use = '']) => use);
}

function readChapter(chapter: string): string {
  const files = readdirSync(join(root, 'core', chapter)).filter((file) => file.endsWith('.ts'));
  return files.map((file) => readCore(`${chapter}/${file}`)).join('\n');
}

function readCore(path: string): string {
  return readFileSync(join(root, 'core', path), 'utf8');
}

export function portsTable(): string {
  const lines = ['| Use-case | Ports | Settings |', '| --- | --- | --- |'];
  for (const useCases of useCasePorts().values()) {
    for (const [name, uses] of useCases) {
      const settings = uses.filter((use) => /^(settings|links)\./.test(use));
      const ports = uses.filter((use) => !settings.includes(use));
      lines.push(
        `| \`${name}\` | ${listed(ports)} | ${listed(settings.map((use) => use.replace('settings.', '')))} |`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Groups the members of each port, such as `clock.now, secrets.{decrypt,sign}`. */
function listed(uses: readonly string[]): string {
  const byPort = new Map<string, string[]>();
  for (const use of uses) {
    const [port = '', member] = use.split('.');
    byPort.set(port, [...(byPort.get(port) ?? []), ...(member === undefined ? [] : [member])]);
  }
  const text = [...byPort].map(([port, members]) => {
    if (members.length === 0) return port;
    return `${port}.${members.length === 1 ? members[0] : `{${members.join(', ')}}`}`;
  });
  return text.map((one) => `\`${one}\``).join(' ');
}

/** The readme with an up-to-date table. */
export function withPortsTable(text: string): string {
  const [before, rest] = split(text, begin);
  const [, after] = split(rest, end);
  return `${before}${begin}\n${portsTable()}\n${end}${after}`;
}

function split(text: string, marker: string): readonly [before: string, after: string] {
  const at = text.indexOf(marker);
  if (at < 0) throw new Error(`core/README.md has no line ${marker}`);
  return [text.slice(0, at), text.slice(at + marker.length)];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(readme, withPortsTable(readFileSync(readme, 'utf8')));
}

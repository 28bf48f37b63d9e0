import type { Need, PortsOf, Uses } from './deps.js';
import { defaultSettings, isSettingNeed, settingMistake } from './settings.js';

/** Unchecked input: the caller may not use TypeScript. */
type Unchecked = Readonly<Record<string, unknown>> | null | undefined;

/**
 * Combines the caller's ports with the settings and their defaults. Checks everything now, so that a mistake shows at
 * startup and not in a request. Throws a `TypeError` that names every mistake.
 */
export function readDeps<Needed extends Need>(
  factory: string,
  needs: readonly Needed[],
  { ports, options }: { readonly ports: PortsOf<Needed>; readonly options: unknown },
): Uses<Needed> {
  const input = options as Unchecked;
  const settings = Object.fromEntries(
    Object.entries(defaultSettings).map(([name, value]) => [name, input?.[name] ?? value]),
  );
  const deps = { ...ports, settings, links: input?.links };
  const mistakes = needs.map((need) => mistakeIn(deps, need)).filter((mistake) => mistake !== null);
  if (mistakes.length > 0) throw new TypeError(`${factory} cannot start. ${mistakes.join('; ')}.`);
  return deps as unknown as Uses<Needed>;
}

/** Ports that may be left out. */
const optionalPorts: readonly string[] = ['mailer', 'securityLog', 'observer'];

function mistakeIn(deps: Readonly<Record<string, unknown>>, need: string): string | null {
  const [port, member] = need.split('.') as [string, string];
  const owner = deps[port] as Unchecked;
  const value = owner?.[member];
  if (isSettingNeed(need)) return settingMistake(need, value);
  if (owner === undefined && optionalPorts.includes(port)) return null;
  return value === undefined ? `The port ${need} is missing` : null;
}

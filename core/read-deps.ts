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
  const settings: Record<string, unknown> = { ...defaultSettings };
  for (const [name, value] of Object.entries(input ?? {}))
    if (value !== undefined && value !== null && name in defaultSettings) settings[name] = value;
  const deps = { ...ports, settings, links: input?.links };
  const mistakes = needs.flatMap((need) => mistakeIn(deps, need) ?? []);
  if (mistakes.length > 0) throw new TypeError(`${factory} cannot start. ${mistakes.join('; ')}.`);
  return deps as unknown as Uses<Needed>;
}

/** Ports that may be left out. */
const optionalPorts: readonly string[] = ['mailer', 'securityLog', 'observer'];

function mistakeIn(deps: Unchecked, need: string): string | null {
  const [port = '', member = ''] = need.split('.');
  const owner = deps?.[port] as Unchecked;
  const value = owner?.[member];
  if (isSettingNeed(need)) return settingMistake(need, value);
  if (owner === undefined && optionalPorts.includes(port)) return null;
  return value === undefined ? `The port ${need} is missing` : null;
}

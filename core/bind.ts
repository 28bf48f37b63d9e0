import type { Dependent, DepsOf } from './deps.js';
import { defaultSettings, optionMistakes } from './settings.js';

/** The use-cases of a chapter, bound to their ports: what is left is the request. */
export type Bound<UseCases> = {
  readonly [Name in keyof UseCases]: UseCases[Name] extends (
    deps: never,
    ...request: infer Request
  ) => infer Answer
    ? (...request: Request) => Answer
    : never;
};

type NeedsOf<UseCases> = DepsOf<Extract<UseCases[keyof UseCases], Dependent>>;

/** The parts of the ports that these use-cases need together, without the settings. */
export type PortsOf<UseCases> = Omit<NeedsOf<UseCases>, 'settings' | 'links'>;

/** The settings of these use-cases, which may be left out, and the links, as far as they need any. */
export type OptionsOf<UseCases> = LeftOut<PartOf<NeedsOf<UseCases>, 'settings'>> &
  Pick<NeedsOf<UseCases>, 'links' & keyof NeedsOf<UseCases>>;

type PartOf<Deps, Name extends string> = Deps extends { readonly [One in Name]: infer Part } ? Part : object;

/** `undefined` and null count as left out, and never replace the default. */
type LeftOut<Settings> = { readonly [Name in keyof Settings]?: Settings[Name] | null | undefined };

/** What cannot be left out. */
type Necessary<Given> = {
  [Name in keyof Given]-?: undefined extends Given[Name] ? never : Name;
}[keyof Given];

/** What must be given to start, because types are not there at run time. The compiler says which names are missing. */
export interface Needs<Ports, Links> {
  readonly ports: Readonly<Record<Necessary<Ports>, true>>;
  readonly links: Readonly<Record<Necessary<Links>, true>>;
}

interface Given {
  readonly ports: object;
  readonly options: object;
}

/**
 * Binds use-cases to ports and options. Checks both now, so that a mistake shows at startup and not in a request.
 *
 * @throws `TypeError` that names every port that is missing and every option that is wrong.
 */
export function bind<UseCases extends object>(
  factory: string,
  useCases: UseCases,
  needs: Needs<object, object>,
  { ports, options }: Given,
): Bound<UseCases> {
  const mistakes = [
    ...Object.keys(needs.ports)
      .filter((port) => !memberOf(ports, port))
      .map((port) => `The port ${port} is missing`),
    ...optionMistakes(options, Object.keys(needs.links)),
  ];
  if (mistakes.length > 0) throw new TypeError(`${factory} cannot start. ${mistakes.join('; ')}.`);
  const settings = Object.fromEntries(
    Object.entries(defaultSettings).map(([name, value]) => [name, memberOf(options, name) ?? value]),
  );
  const deps = { ...ports, settings, links: memberOf(options, 'links') };
  const bound = Object.entries(useCases).map(([name, useCase]) => [
    name,
    (request: unknown) => useCase(deps, request),
  ]);
  return Object.fromEntries(bound) as Bound<UseCases>;
}

/** The caller may not use TypeScript. */
function memberOf(given: object | null | undefined, name: string): unknown {
  return (given as Readonly<Record<string, unknown>> | null | undefined)?.[name];
}

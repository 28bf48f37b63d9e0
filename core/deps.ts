import type { Ports } from './ports.js';
import type { Links, Settings } from './settings.js';

/** Everything that a use-case can depend on. */
export interface Deps extends Ports {
  readonly settings: Settings;
  readonly links: Links;
}

/** The name of one port method or setting that a use-case needs, such as `clock.now`. */
export type Need = {
  [Port in keyof Deps]-?: `${Port & string}.${keyof NonNullable<Deps[Port]> & string}`;
}[keyof Deps];

type Optional = { [Port in keyof Deps]-?: undefined extends Deps[Port] ? Port : never }[keyof Deps];
type PortOf<Needed extends Need> = Needed extends `${infer Port extends keyof Deps & string}.${string}`
  ? Port
  : never;
type MemberOf<Needed extends Need, Port extends string> = Needed extends `${Port}.${infer Member}`
  ? Member
  : never;
type Part<Needed extends Need, Port extends keyof Deps & string> = Pick<
  NonNullable<Deps[Port]>,
  MemberOf<Needed, Port> & keyof NonNullable<Deps[Port]>
>;

type Named<Needed extends Need> = {
  readonly [Port in Exclude<PortOf<Needed>, Optional>]: Part<Needed, Port>;
} & {
  readonly [Port in Extract<PortOf<Needed>, Optional>]?: Part<Needed, Port> | undefined;
};

/** A function that is given what it depends on first. */
export type Dependent = (deps: never, ...request: never) => unknown;

/** What all of these functions depend on together. */
export type DepsOf<Functions extends Dependent> = [Functions] extends [
  (deps: infer Together, ...request: never) => unknown,
]
  ? Together
  : never;

/**
 * The parts of the ports and settings that a function names because it calls them itself, and all that the functions need
 * to which it passes its own, as in `Uses<'clock.now' | 'meetings.placesOf' | typeof resumeSession>`.
 */
export type Uses<Needed extends Need | Dependent> = Named<Extract<Needed, Need>> &
  DepsOf<Extract<Needed, Dependent>>;

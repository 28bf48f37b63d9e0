import fc from 'fast-check';
import type { Cell } from './cell.js';
import type { Caller } from './command.js';
import { markerOf } from './command.js';
import { type Model, type OrganizationModel, pick } from './model.js';

/** A number that chooses one of those that there are then. */
export const chosen = fc.nat({ max: 23 });

/** The first one more often, so that more happens in one of them. */
export const eitherOrganization: fc.Arbitrary<0 | 1> = fc.constantFrom(0, 0, 1);

export const callerOf = (organization: fc.Arbitrary<0 | 1>): fc.Arbitrary<Caller> =>
  fc.record({
    organization,
    token: fc.oneof(
      { withCrossShrink: true },
      { weight: 30, arbitrary: fc.constant('fresh' as const) },
      { weight: 6, arbitrary: fc.constant('any' as const) },
      { weight: 2, arbitrary: fc.constant('foreign' as const) },
      { weight: 1, arbitrary: fc.constant('none' as const) },
      { weight: 1, arbitrary: fc.constant('forged' as const) },
    ),
    chosen,
    isStray: rarely(50),
  });

export const caller = callerOf(eitherOrganization);

/** True once in so many times. */
export function rarely(times: number): fc.Arbitrary<boolean> {
  return fc.oneof(
    { weight: times - 1, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  );
}

/** The value, or now and then undefined. */
export function maybe<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 2 });
}

interface Person {
  readonly key: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** The people whom both organizations invite. The names of some are found only without their accents. */
export const people = [
  { key: 'dana', firstName: 'Dana', lastName: 'Kim' },
  { key: 'tomas', firstName: 'Tomás', lastName: 'Müller' },
  { key: 'zoe', firstName: 'Zoë', lastName: 'Ōno' },
  { key: 'lee', firstName: 'Lee “Lo”', lastName: 'O’Hara' },
] as const satisfies readonly Person[];

export const person = fc.constantFrom<Person>(...people);

/** The address of a person in this run. `mia` and `sam` are members from the beginning. */
export function addressOf({ run }: Pick<Model, 'run'>, key: string): string {
  return `${key}-${run}@people.test`;
}

/** How a caller may write an address. */
export const spelling = fc.constantFrom('plain', 'plain', 'plain', 'capitals', 'spaces');

export function spelled(address: string, how: string): string {
  if (how === 'capitals') return address.toUpperCase();
  return how === 'spaces' ? `  ${address} ` : address;
}

/** An `idp_id` of the organization, one of few, so that they meet. */
export function idpIdOf(model: Model, organization: OrganizationModel, number: number): string {
  return `${markerOf(organization, model)}-${number % 4}`;
}

const unknownUuid = 'ffffffff-0000-4000-8000-00000000ffff';

/**
 * The id of an invitation or a member of this organization, mostly of the wanted kind, or one of the other organization,
 * or one that nothing has.
 */
export function someUuid(
  model: Model,
  organization: OrganizationModel,
  { number, wanted }: { readonly number: number; readonly wanted: 'invitations' | 'members' },
): Cell | string {
  if (number === 23) return unknownUuid;
  const other = wanted === 'members' ? 'invitations' : 'members';
  const foreign = model.organizations[organization.index === 0 ? 1 : 0];
  const first = pick(uuidsOf(organization, wanted), number);
  const second = pick(uuidsOf(organization, other), number);
  const elsewhere = withoutUnknown(foreign, organization);
  const third = pick([...uuidsOf(elsewhere, wanted), ...uuidsOf(elsewhere, other)], number);
  const [chosen = unknownUuid] = [
    ...(number < 17 ? [first, second] : number < 20 ? [second, first] : [third]),
  ].filter((cell) => cell !== undefined);
  return chosen;
}

/** Without people who are members here with a UUID that no answer has shown: it can be the same one (decision 36). */
function withoutUnknown(
  { members, invitations }: OrganizationModel,
  here: OrganizationModel,
): Pick<OrganizationModel, 'members' | 'invitations'> {
  const unknown = new Set(
    here.members.filter(({ uuid }) => uuid.value === undefined).map(({ account }) => account.email),
  );
  return {
    members: members.filter(({ account }) => !unknown.has(account.email)),
    invitations: invitations.filter(({ email }) => !unknown.has(email)),
  };
}

/** The newest first, so that small numbers choose them. */
function uuidsOf(
  { members, invitations }: Pick<OrganizationModel, 'members' | 'invitations'>,
  wanted: 'invitations' | 'members',
): readonly Cell[] {
  const cells = wanted === 'members' ? members.map(({ uuid }) => uuid) : invitations.map(({ id }) => id);
  return [...new Set(cells)].filter(({ value }) => value !== undefined).reverse();
}

import fc from 'fast-check';
import { Cell, forms } from './cell.js';
import { chosen } from './choices.js';
import { authentication, type Call, pass, type Real, refused, type Step, send } from './command.js';
import { type Model, type OrganizationModel, otherThan, pick, SECOND, works } from './model.js';

const wrongKey = refused(401, 'invalid-access-key', 'Invalid Access Key');

/** `POST /authenticate`, with any key that there is or was, or with one that cannot be one. */
async function authenticateWith(
  model: Model,
  real: Real,
  given: { readonly index: 0 | 1; readonly kind: string; readonly chosen: number },
): Promise<void> {
  const { index, kind } = given;
  const organization = model.organizations[index];
  const key = pick([...organization.keys].reverse(), kind === 'newest' ? 0 : given.chosen);
  if (key !== undefined && (kind === 'newest' || kind === 'any')) {
    const sent = authentication(organization, key.cell, key);
    const { issues: _, ...withoutToken } = sent;
    return send(model, real, works(key, model.now) ? sent : { ...withoutToken, answer: wrongKey });
  }
  const call: Call = {
    ...{ method: 'POST', path: ['/authenticate'], isOutside: true },
    json: wrong(kind, otherThan(model, organization)),
  };
  return send(model, real, { operation: 'authenticate', organization, token: null, call, answer: wrongKey });
}

function wrong(kind: string, other: OrganizationModel): unknown {
  const key = String(other.keys.at(-1)?.cell.value);
  const bodies: Readonly<Record<string, unknown>> = {
    missing: {},
    short: { access_key: key.slice(0, 23) },
    long: { access_key: `${key}0` },
    number: { access_key: 1 },
    null: { access_key: null },
    madeUp: { access_key: '0'.repeat(24) },
  };
  return bodies[kind];
}

const authenticate: fc.Arbitrary<Step> = fc
  .record({
    index: fc.constantFrom(0 as const, 1 as const),
    kind: fc.constantFrom(
      'newest',
      'newest',
      'any',
      'any',
      'missing',
      'short',
      'long',
      'number',
      'null',
      'madeUp',
    ),
    chosen,
  })
  .map((given) => ({
    check: () => true,
    run: (model, real) => authenticateWith(model, real, given),
    toString: () => 'authenticate',
  }));

/** A new access key, as an owner generates it on the page (decision 23). */
export async function replaceKey(
  model: Model,
  { service, run }: Real,
  { organization, keepHours }: { readonly organization: OrganizationModel; readonly keepHours: number },
): Promise<void> {
  const { accessKey } = await service.core.generateAccessKey({
    organizationId: organization.id,
    keepOldForHours: keepHours,
  });
  const cell = new Cell(forms.accessKey, organization.index);
  cell.value = accessKey.reveal();
  model.known.set(cell.value, cell);
  const { now } = model;
  for (const key of organization.keys)
    if (works(key, now)) key.endsAt = key.endsAt === null ? now + keepHours * 3_600_000 : now;
  organization.keys.push({ cell, endsAt: null });
  const kept = keepHours === 0 ? '' : ` and keeps the old one for ${keepHours} hours`;
  const options = keepHours === 0 ? '' : ` --keep-old-hours ${keepHours}`;
  run.note(`The owner of organization ${organization.id} generates an access key${kept}.`, [
    cell,
    `rollcall access-key generate --organization ${organization.id}${options}`,
  ]);
}

const replacing: fc.Arbitrary<Step> = fc
  .record({ index: fc.constantFrom(0 as const, 1 as const), keepHours: fc.constantFrom(0, 0, 1, 24) })
  .map(({ index, keepHours }) => ({
    check: () => true,
    run: async (model, real) => {
      await replaceKey(model, real, { organization: model.organizations[index], keepHours });
      pass(model, real, SECOND);
    },
    toString: () => 'an owner replaces the access key',
  }));

export const accessSteps: readonly fc.Arbitrary<Step>[] = [authenticate, replacing];

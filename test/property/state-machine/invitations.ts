import fc from 'fast-check';
import { Cell, Either, forms, isSame } from './cell.js';
import {
  addressOf,
  caller,
  callerOf,
  chosen,
  eitherOrganization,
  idpIdOf,
  maybe,
  person,
  rarely,
  someUuid,
  spelled,
  spelling,
} from './choices.js';
import { type Answer, ApiCall, type Plan, refused, type Step } from './command.js';
import { answeredOnce, idempotencyKey } from './idempotency.js';
import { filterOf, limitOf, listAnswer, part, requestOf, unknownCursor } from './lists.js';
import {
  DAY,
  type Invitation,
  type Model,
  memberOf,
  type OrganizationModel,
  otherThan,
  pendingOf,
  timeCell,
  timeCellOr,
} from './model.js';

/** One person to invite, as a caller writes it. */
const entry = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      person,
      spelling,
      name: fc.constantFrom<Name>('right', 'misspelled'),
      email: fc.constant<Email>('right'),
      idpId: maybe(fc.nat({ max: 3 })),
      days: maybe(fc.constantFrom<number | string>(1, 2, '3')),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      person,
      spelling,
      name: fc.constantFrom<Name>('right', 'right', 'empty', 'none'),
      email: fc.constantFrom<Email>('right', 'of-sam', 'lee', 'none'),
      idpId: maybe(fc.constantFrom<number | string | null>(1, null, '', ' x')),
      days: maybe(fc.constantFrom<number | string>(1, 365, 0, '366', 'x')),
    }),
  },
);
type Name = 'right' | 'misspelled' | 'empty' | 'none';
type Email = 'right' | 'of-sam' | 'lee' | 'none';
type Entry = typeof entry extends fc.Arbitrary<infer Given> ? Given : never;

type Fields = Readonly<Record<string, string | number | null>>;

function fieldsOf(model: Model, organization: OrganizationModel, given: Entry): Fields {
  const { key, firstName, lastName } = given.person;
  const address = addressOf(model, given.email === 'of-sam' ? 'sam' : key);
  const email = given.email === 'lee' ? 'lee' : spelled(address, given.spelling);
  const firstNames = { right: firstName, misspelled: `${firstName}x`, empty: ' ' };
  const idpId = typeof given.idpId === 'number' ? idpIdOf(model, organization, given.idpId) : given.idpId;
  return {
    ...(given.email !== 'none' && { email }),
    ...(given.name !== 'none' && { first_name: firstNames[given.name as keyof typeof firstNames] }),
    last_name: lastName,
    ...(idpId !== undefined && { idp_id: idpId }),
    ...(given.days !== undefined && { expires_in_days: given.days }),
  };
}

/** What inviting leads to: an invitation, new or not, or why there is none. */
interface Invited {
  readonly refusal: { readonly code: unknown; readonly error: unknown } | null;
  readonly invitation: Invitation | null;
  readonly isNew: boolean;
  readonly apply: () => void;
}

function invite(model: Model, organization: OrganizationModel, fields: Fields): Invited {
  const refuse = (code: unknown, error: unknown): Invited => ({
    ...{ refusal: { code, error }, invitation: null, isNew: false, apply: () => undefined },
  });
  const wrong = wrongField(fields);
  if (wrong !== null) return refuse('invalid-request', wrong);
  const email = String(fields.email).trim().toLowerCase();
  const idpId = idpIdIn(fields);
  if (memberOf(organization, email) !== undefined)
    return refuse('already-member', 'email: this user is already a member of the organization');
  const pending = pendingOf(organization, email);
  if (pending !== undefined && pending.idpId !== null && idpId !== null && pending.idpId !== idpId)
    return refuse('invalid-request', /idp_id/);
  const taken = takenIdpId(organization, idpId, pending);
  if (taken !== null) return refuse('invalid-request', taken);
  const isNew = pending === undefined;
  const invitation = pending ?? newInvitation(model, organization, { ...fields, email });
  const apply = (): void => {
    if (isNew) organization.invitations.push(invitation);
    invitation.idpId ??= idpId;
  };
  return { refusal: null, invitation, isNew, apply };
}

function idpIdIn({ idp_id: idpId = null }: Fields): string | null {
  return idpId === null ? null : String(idpId);
}

/** Which field is wrong: the message names it. Of several, any may be named. */
function wrongField({ email, first_name, idp_id, expires_in_days: days = 1 }: Fields): RegExp | null {
  const wrong = [
    ...(email === undefined || email === 'lee' ? ['email'] : []),
    ...(first_name === undefined || first_name === ' ' ? ['first_name'] : []),
    ...(idp_id === '' || idp_id === ' x' ? ['idp_id'] : []),
    ...(Number(days) >= 1 && Number(days) <= 365 ? [] : ['expires_in_days']),
  ];
  return wrong.length === 0 ? null : new RegExp(wrong.map((field) => `\\b${field}\\b`).join('|'));
}

/** Why nobody else can get the `idp_id`, or null. */
export function takenIdpId(
  { members, invitations }: OrganizationModel,
  idpId: string | null,
  except: unknown = null,
): string | null {
  if (idpId === null) return null;
  if (members.some((member) => member !== except && member.idpId === idpId))
    return 'idp_id belongs to another member';
  const isPending = (one: Invitation): boolean => one.stored === 'pending' && one.idpId === idpId;
  if (invitations.some((one) => one !== except && isPending(one)))
    return 'idp_id belongs to a pending invitation';
  return null;
}

function newInvitation(model: Model, organization: OrganizationModel, fields: Fields): Invitation {
  return {
    id: new Cell(forms.invitation, organization.index),
    url: new Cell(forms.url, organization.index),
    email: String(fields.email),
    firstName: String(fields.first_name),
    lastName: String(fields.last_name),
    idpId: idpIdIn(fields),
    stored: 'pending',
    ...lastsUntil(model, fields.expires_in_days === undefined ? null : Number(fields.expires_in_days)),
    invitedAt: timeCell(model.now),
    acceptedAt: null,
    revokedAt: null,
    member: null,
  };
}

/** How long the invitation lasts, from now on. */
function lastsUntil({ now }: Model, days: number | null): Pick<Invitation, 'days' | 'expiresAt'> {
  return { days, expiresAt: days === null ? null : now + days * DAY };
}

function invitedBody({ id, email, firstName, lastName, url }: Invitation): object {
  return { id, email, first_name: firstName, last_name: lastName, invitation_url: url };
}

export const inviteUser = (organization: fc.Arbitrary<0 | 1>): fc.Arbitrary<Step> =>
  fc
    .record({
      caller: callerOf(organization),
      entry,
      form: fc.constantFrom('json', 'json', 'form', 'multipart'),
    })
    .map(({ caller: who, entry: given, form }) => {
      const plan = (model: Model, organization: OrganizationModel): Plan => {
        const fields = fieldsOf(model, organization, given);
        // A form cannot say null.
        const sent = form === 'json' ? fields : withoutNulls(fields);
        const { refusal, invitation, apply } = invite(model, organization, sent);
        return {
          call: { method: 'POST', path: ['/invite_user'], ...encoded(sent, form) },
          answer:
            invitation === null
              ? refused(400, refusal?.code, refusal?.error)
              : {
                  status: 200,
                  body: { success: 'User invited successfully.', user: invitedBody(invitation) },
                  effect: apply,
                },
        };
      };
      return new ApiCall('inviteUser', who, plan);
    });

function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function encoded(fields: Fields, form: string): Pick<Plan['call'], 'json' | 'body'> {
  if (form === 'json') return { json: fields };
  const entries = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
  if (form === 'form') {
    const text = new URLSearchParams(entries).toString();
    return { body: { type: 'application/x-www-form-urlencoded', text } };
  }
  const parts = entries.map(
    ([name, value]) => `--part\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return { body: { type: 'multipart/form-data; boundary=part', text: `${parts.join('')}--part--\r\n` } };
}

const inviteUsers: fc.Arbitrary<Step> = fc
  .record({ caller, entries: fc.array(entry, { maxLength: 4 }), key: idempotencyKey })
  .map(({ caller: who, entries, key }) => {
    const plan = (model: Model, organization: OrganizationModel): Plan => {
      const users = entries.map((given) => fieldsOf(model, organization, given));
      const call = { method: 'POST', path: ['/invite_users'], json: { users } };
      return answeredOnce(model, organization, {
        ...{ operation: 'inviteUsers', key, call, answer: inviteEachOf(model, organization, users) },
      });
    };
    return new ApiCall('inviteUsers', who, plan);
  });

/** Each entry is checked alone, after those before it. */
function inviteEachOf(model: Model, organization: OrganizationModel, users: readonly Fields[]): Answer {
  if (users.length === 0) return refused(400, 'invalid-request', 'users must have at least 1 entry');
  const before = organization.invitations.map((invitation) => ({ invitation, idpId: invitation.idpId }));
  const count = organization.invitations.length;
  const results: unknown[] = [];
  for (const [index, fields] of users.entries()) {
    const { refusal, invitation, isNew, apply } = invite(model, organization, fields);
    const user = invitation === null ? null : invitedBody(invitation);
    apply();
    const status = refusal !== null ? 'error' : isNew ? 'created' : 'existing';
    results.push({ index, status, user, code: refusal?.code ?? null, error: refusal?.error ?? null });
  }
  // The model must not change before the answer is there.
  const added = organization.invitations.splice(count);
  const after = before.map(({ invitation }) => invitation.idpId);
  for (const { invitation, idpId } of before) invitation.idpId = idpId;
  const effect = (): void => {
    organization.invitations.push(...added);
    for (const [index, { invitation }] of before.entries()) invitation.idpId = after[index] ?? null;
  };
  return { status: 200, body: { success: true, results }, effect };
}

/** A revoked one shows as replaced while another of its address stands (decision 182). */
function stateOf({ invitations, members }: OrganizationModel, given: Invitation): string {
  if (given.stored !== 'revoked') return given.stored;
  const stands = ({ email, stored, member }: Invitation): boolean =>
    email === given.email &&
    (stored === 'pending' || (stored === 'accepted' && member !== null && members.includes(member)));
  return invitations.some(stands) ? 'replaced' : 'revoked';
}

function invitationBody(organization: OrganizationModel, invitation: Invitation): object {
  const { id, email, firstName, lastName, idpId, url, acceptedAt, revokedAt, invitedAt } = invitation;
  const state = stateOf(organization, invitation);
  return {
    ...{ id, email, first_name: firstName, last_name: lastName, idp_id: idpId, state },
    invited_at: invitedAt,
    accepted_at: acceptedAt === null ? null : new Date(acceptedAt).toISOString(),
    revoked_at: revokedAt,
    invitation_url: state === 'pending' ? url : null,
  };
}

const listInvitations: fc.Arbitrary<Step> = fc
  .record({
    caller,
    part,
    state: maybe(fc.constantFrom('pending', 'accepted', 'revoked', 'replaced', 'open')),
    email: maybe(person),
    idpId: maybe(chosen),
  })
  .map(({ caller: who, part: asked, state, email, idpId }) => {
    const plan = (model: Model, organization: OrganizationModel): Plan => {
      const request = requestOf(organization, otherThan(model, organization), {
        list: 'invitations',
        part: asked,
        filters: [
          ['state', state],
          ['email', email === undefined ? undefined : addressOf(model, email.key).toUpperCase()],
          ['idp_id', idpId === undefined ? undefined : idpIdOf(model, organization, idpId)],
        ],
      });
      const call = { method: 'GET', path: ['/invitations'], query: request.query };
      const wanted = filterOf(request, 'state');
      if (wanted === 'open') {
        const error = request.isUnknown ? /^(state|after) must be/ : /^state must be one of/;
        return { call, answer: refused(400, 'invalid-request', error) };
      }
      if (request.isUnknown) return { call, answer: unknownCursor };
      const address = filterOf(request, 'email')?.toLowerCase();
      const wantedIdpId = filterOf(request, 'idp_id');
      const entries = organization.invitations
        .filter((one) => wanted === undefined || stateOf(organization, one) === wanted)
        .filter((one) => address === undefined || one.email === address)
        .filter((one) => wantedIdpId === undefined || one.idpId === wantedIdpId);
      const placeOf = ({ invitedAt }: Invitation): string => String(invitedAt.value ?? invitedAt.among?.[0]);
      const answer = listAnswer<Invitation>(organization, request, {
        ...{ list: 'invitations', noun: 'invitations', limit: limitOf(asked.limit, 100) },
        entries: [...entries].sort((one, two) => (placeOf(one) < placeOf(two) ? 1 : -1)),
        ...{ placeOf, isAscending: false, idOf: ({ id }) => id },
        bodyOf: (invitation) => invitationBody(organization, invitation),
      });
      return { call, answer };
    };
    return new ApiCall('listInvitations', who, plan);
  });

const unknownInvitation = refused(404, 'invitation-unknown', 'This invitation does not exist');

/** A call about one invitation. `answerFor` is asked only if the organization has it. */
function aboutOne(
  operation: string,
  given: { readonly caller: ApiCall['caller']; readonly chosen: number },
  {
    method,
    suffix,
    jsonOf = () => undefined,
    wrong = null,
    answerFor,
  }: {
    readonly method: string;
    readonly suffix: string;
    readonly jsonOf?: (model: Model, organization: OrganizationModel) => unknown;
    /** Why the body is refused, whether there is such an invitation or not. */
    readonly wrong?: Answer | null;
    readonly answerFor: (model: Model, organization: OrganizationModel, invitation: Invitation) => Answer;
  },
): Step {
  return new ApiCall(operation, given.caller, (model, organization) => {
    const id = someUuid(model, organization, { number: given.chosen, wanted: 'invitations' });
    const found = organization.invitations.find((invitation) => isSame(invitation.id, id));
    const json = jsonOf(model, organization);
    return {
      call: { method, path: ['/invitations/', id, suffix], ...(json !== undefined && { json }) },
      answer: wrong ?? (found === undefined ? unknownInvitation : answerFor(model, organization, found)),
    };
  });
}

const readInvitation: fc.Arbitrary<Step> = fc.record({ caller, chosen }).map((given) =>
  aboutOne('readInvitation', given, {
    ...{ method: 'GET', suffix: '' },
    answerFor: (_model, organization, invitation) => invitationAnswer(organization, invitation),
  }),
);

function invitationAnswer(organization: OrganizationModel, invitation: Invitation): Answer {
  return { status: 200, body: { success: true, invitation: invitationBody(organization, invitation) } };
}

function closed(state: string): Answer {
  const errors: Readonly<Record<string, string>> = {
    accepted: 'This invitation was accepted already',
    revoked: 'This invitation was revoked',
    replaced: 'This invitation was replaced by a newer one',
  };
  return refused(400, 'invitation-closed', errors[state]);
}

export const revokeInvitation = (organization: fc.Arbitrary<0 | 1>): fc.Arbitrary<Step> =>
  fc.record({ caller: callerOf(organization), chosen }).map((given) =>
    aboutOne('revokeInvitation', given, {
      ...{ method: 'POST', suffix: '/revoke' },
      answerFor: (model, organization, invitation) => {
        const state = stateOf(organization, invitation);
        if (state !== 'pending') return closed(state);
        const revokedAt = timeCell(model.now);
        const revoked = { ...invitation, stored: 'revoked' as const, revokedAt };
        return {
          ...invitationAnswer({ ...organization, invitations: [revoked] }, revoked),
          effect: () => void Object.assign(invitation, { stored: 'revoked', revokedAt }),
        };
      },
    }),
  );

export const renewInvitation = (organization: fc.Arbitrary<0 | 1>): fc.Arbitrary<Step> =>
  fc
    .record({
      caller: callerOf(organization),
      chosen,
      firstName: maybe(fc.constantFrom('Corrected', 'Corrected', 'Corrected', ' ')),
      idpId: maybe(fc.oneof(fc.nat({ max: 3 }), fc.constant(null))),
      hasStrayField: rarely(20),
    })
    .map((given) =>
      aboutOne('renewInvitation', given, {
        ...{ method: 'POST', suffix: '/renew', wrong: wrongRenewal(given) },
        jsonOf: (model, organization) => {
          const { firstName, hasStrayField } = given;
          const idpId =
            typeof given.idpId === 'number' ? idpIdOf(model, organization, given.idpId) : given.idpId;
          const json = {
            ...(firstName !== undefined && { first_name: firstName }),
            ...(idpId !== undefined && { idp_id: idpId }),
            ...(hasStrayField && { colour: 'red' }),
          };
          return Object.keys(json).length === 0 ? undefined : json;
        },
        answerFor: (model, organization, invitation) =>
          renewal(model, organization, { invitation, ...given }),
      }),
    );

function wrongRenewal({
  firstName,
  hasStrayField,
}: {
  readonly firstName: string | undefined;
  readonly hasStrayField: boolean;
}): Answer | null {
  if (firstName === ' ') return refused(400, 'invalid-request', /first_name|colour/);
  return hasStrayField ? refused(400, 'invalid-request', /^colour is not a field/) : null;
}

function renewal(
  model: Model,
  organization: OrganizationModel,
  given: {
    readonly invitation: Invitation;
    readonly firstName: string | undefined;
    readonly idpId: number | null | undefined;
  },
): Answer {
  const { invitation, firstName } = given;
  const state = stateOf(organization, invitation);
  const isMember = memberOf(organization, invitation.email) !== undefined;
  const alreadyMember = 'email: this user is already a member of the organization';
  if (state === 'accepted') return closed(state);
  // The person may have joined by the newer invitation: either is true.
  if (state === 'replaced' && isMember)
    return refused(
      400,
      new Either('already-member', 'invitation-closed'),
      new Either(alreadyMember, 'This invitation was replaced by a newer one'),
    );
  if (state === 'replaced') return closed(state);
  if (isMember) return refused(400, 'already-member', alreadyMember);
  const asked = typeof given.idpId === 'number' ? idpIdOf(model, organization, given.idpId) : given.idpId;
  const idpId = asked === undefined ? invitation.idpId : asked;
  const taken = takenIdpId(organization, idpId, invitation);
  if (taken !== null) return refused(400, 'invalid-request', taken);

  const { now } = model;
  const renewed: Invitation = {
    ...invitation,
    url: new Cell(forms.url, organization.index),
    firstName: firstName ?? invitation.firstName,
    idpId,
    stored: 'pending',
    ...lastsUntil(model, invitation.days),
    invitedAt: timeCellOr(now, invitation.invitedAt),
    revokedAt: null,
  };
  return {
    ...invitationAnswer({ ...organization, invitations: [renewed] }, renewed),
    effect: () => {
      const replaced: Invitation = {
        ...invitation,
        id: new Cell(forms.invitation, organization.index),
        stored: 'revoked',
        revokedAt: invitation.revokedAt ?? timeCell(now),
      };
      Object.assign(invitation, renewed);
      organization.invitations.splice(organization.invitations.indexOf(invitation), 0, replaced);
      const isElsewhere = ({ list }: { readonly list: string }): boolean => list !== 'invitations';
      organization.cursors = organization.cursors.filter(isElsewhere);
    },
  };
}

export const invitationSteps: readonly fc.Arbitrary<Step>[] = [
  inviteUser(eitherOrganization),
  inviteUser(eitherOrganization),
  inviteUsers,
  listInvitations,
  readInvitation,
  revokeInvitation(eitherOrganization),
  renewInvitation(eitherOrganization),
];

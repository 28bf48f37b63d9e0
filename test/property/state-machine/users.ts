import fc from 'fast-check';
import { Cell, forms, isSame } from './cell.js';
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
} from './choices.js';
import { type Answer, ApiCall, type Caller, type Plan, refused, type Step } from './command.js';
import { takenIdpId } from './invitations.js';
import { filterOf, limitOf, listAnswer, type Part, part, requestOf, unknownCursor } from './lists.js';
import {
  erase,
  type Member,
  type Model,
  memberOf,
  type OrganizationModel,
  otherThan,
  pendingOf,
  remove,
} from './model.js';

const notFound = refused(404, 'member-not-found', 'User not found on Service');

function userBody({ uuid, account, role, idpId, joinedAt }: Member): object {
  const { email, firstName, lastName } = account;
  return {
    id: uuid,
    email,
    first_name: firstName,
    last_name: lastName,
    role,
    idp_id: idpId,
    joined_at: joinedAt,
  };
}

const listUsers: fc.Arbitrary<Step> = fc
  .record({
    caller,
    part,
    email: maybe(person),
    idpId: maybe(fc.nat({ max: 3 })),
    role: maybe(fc.constantFrom('owner', 'admin', 'member', 'boss')),
    search: maybe(fc.constantFrom('tomas', 'MULLER', 'zoe ono', 'people', 'sees', 'kim dana', 'nobody', '')),
  })
  .map(usersListed);

/** Reads a part of all members. */
export const listAllUsers = (
  organization: fc.Arbitrary<0 | 1>,
  asked: fc.Arbitrary<Part>,
): fc.Arbitrary<Step> => fc.record({ caller: callerOf(organization), part: asked }).map(usersListed);

function usersListed({
  caller: who,
  part: asked,
  email,
  idpId,
  role,
  search,
}: {
  readonly caller: Caller;
  readonly part: Part;
  readonly email?: { readonly key: string } | undefined;
  readonly idpId?: number | undefined;
  readonly role?: string | undefined;
  readonly search?: string | undefined;
}): Step {
  const plan = (model: Model, organization: OrganizationModel): Plan => {
    const request = requestOf(organization, otherThan(model, organization), {
      list: 'users',
      part: asked,
      filters: [
        ['email', email === undefined ? undefined : addressOf(model, email.key).toUpperCase()],
        ['idp_id', idpId === undefined ? undefined : idpIdOf(model, organization, idpId)],
        ['role', role],
        ['search', search],
      ],
    });
    const call = { method: 'GET', path: ['/users'], query: request.query };
    const wanted = {
      email: filterOf(request, 'email')?.toLowerCase(),
      idpId: filterOf(request, 'idp_id'),
      role: filterOf(request, 'role'),
      words: (filterOf(request, 'search') ?? '').split(' ').filter((word) => word !== ''),
    };
    if (wanted.role === 'boss') {
      const error = request.isUnknown ? /^(role|after) must be/ : /^role must be one of/;
      return { call, answer: refused(400, 'invalid-request', error) };
    }
    if (request.isUnknown) return { call, answer: unknownCursor };
    const entries = organization.members
      .filter(({ account }) => wanted.email === undefined || account.email === wanted.email)
      .filter((member) => wanted.idpId === undefined || member.idpId === wanted.idpId)
      .filter((member) => wanted.role === undefined || member.role === wanted.role)
      .filter((member) => wanted.words.every((word) => isIn(word, member)));
    const answer = listAnswer<Member>(organization, request, {
      ...{ list: 'users', noun: 'users', limit: limitOf(asked.limit, 100) },
      entries: [...entries].sort((one, two) => (one.account.email < two.account.email ? -1 : 1)),
      placeOf: ({ account }) => account.email,
      isAscending: true,
      idOf: ({ uuid }) => uuid,
      bodyOf: userBody,
    });
    return { call, answer };
  };
  return new ApiCall('listUsers', who, plan);
}

function isIn(word: string, { account, idpId }: Member): boolean {
  const texts = [account.firstName, account.lastName, account.email, idpId ?? ''];
  return texts.some((text) => plain(text).includes(plain(word)));
}

/** Without accents and case. */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** The member with the UUID, as `/users/:uuid` finds one. */
export function memberWith({ members }: OrganizationModel, uuid: Cell | string): Member | undefined {
  return members.find((member) => isSame(member.uuid, uuid));
}

function userAnswer(member: Member): Answer {
  return { status: 200, body: { success: true, user: userBody(member) } };
}

const readUser: fc.Arbitrary<Step> = fc.record({ caller, chosen }).map((given) => {
  const plan = (model: Model, organization: OrganizationModel): Plan => {
    const uuid = someUuid(model, organization, { number: given.chosen, wanted: 'members' });
    const member = memberWith(organization, uuid);
    return {
      call: { method: 'GET', path: ['/users/', uuid] },
      answer: member === undefined ? notFound : userAnswer(member),
    };
  };
  return new ApiCall('readUser', given.caller, plan);
});

const changeUser: fc.Arbitrary<Step> = fc
  .record({
    caller,
    chosen,
    idpId: fc.oneof(
      { weight: 8, arbitrary: fc.nat({ max: 3 }) },
      { weight: 3, arbitrary: fc.constantFrom(null, '', ' x', 5) },
    ),
    hasStrayField: rarely(12),
  })
  .map((given) => {
    const plan = (model: Model, organization: OrganizationModel): Plan => {
      const uuid = someUuid(model, organization, { number: given.chosen, wanted: 'members' });
      const member = memberWith(organization, uuid);
      const isWrong = given.idpId === '' || given.idpId === ' x' || given.idpId === 5;
      const idpId =
        typeof given.idpId === 'number' && !isWrong
          ? idpIdOf(model, organization, given.idpId)
          : (given.idpId as string | null);
      const user = { idp_id: idpId, ...(given.hasStrayField && { role: 'owner' }) };
      const call = { method: 'PATCH', path: ['/users/', uuid], json: { user } };
      // Of two reasons, which one comes first is not promised.
      if (member === undefined)
        return { call: { ...call, json: { user: { idp_id: null } } }, answer: notFound };
      if (given.hasStrayField) return { call, answer: refused(400, 'invalid-request', /role|idp_id/) };
      if (isWrong) return { call, answer: refused(400, 'invalid-request', /idp_id/) };
      const taken = takenIdpId(organization, idpId, member);
      if (taken !== null) return { call, answer: refused(400, 'invalid-request', taken) };
      return {
        call,
        answer: {
          ...userAnswer({ ...member, idpId }),
          effect: () => {
            member.idpId = idpId;
          },
        },
      };
    };
    return new ApiCall('changeUser', given.caller, plan);
  });

export const removeUser = (
  organization: fc.Arbitrary<0 | 1>,
  which: fc.Arbitrary<number> = chosen,
): fc.Arbitrary<Step> =>
  fc
    .record({
      caller: callerOf(organization),
      chosen: which,
      erase: maybe(fc.constantFrom('0', '1', '1', 'yes')),
    })
    .map((given) => {
      const plan = (model: Model, organization: OrganizationModel): Plan => {
        const uuid = someUuid(model, organization, { number: given.chosen, wanted: 'members' });
        const member = memberWith(organization, uuid);
        const query = given.erase === undefined ? [] : [['erase', given.erase] as const];
        const call = { method: 'DELETE', path: ['/users/', uuid], query };
        if (given.erase === 'yes')
          return { call, answer: refused(400, 'invalid-request', 'erase must be one of 0, 1') };
        if (member === undefined) return { call, answer: notFound };
        return { call, answer: removal(model, organization, { member, isErased: given.erase === '1' }) };
      };
      return new ApiCall('removeUser', given.caller, plan);
    });

function removal(
  model: Model,
  organization: OrganizationModel,
  { member, isErased }: { readonly member: Member; readonly isErased: boolean },
): Answer {
  if (member.role === 'owner')
    return refused(
      400,
      'invalid-request',
      'This user is an owner. An owner removes owners on the People page',
    );
  if (isErased && isKnownElsewhere(model, organization, member))
    return refused(
      409,
      'in-other-organization',
      'This account is also used outside this organization, so it cannot be erased here. Remove the user without erase, or ask the operator of this service',
    );
  const effect = (): void => {
    remove(organization.members, (other) => other === member);
    for (const link of model.links) if (link.member === member) link.isOpen = false;
    if (isErased) erase(model, member.account);
  };
  return { status: 200, body: { success: true }, effect };
}

/** Whether another organization knows the person (decision 221). */
function isKnownElsewhere(model: Model, organization: OrganizationModel, { account }: Member): boolean {
  const other = otherThan(model, organization);
  const seats = [...model.registrations, ...model.waitingPlaces]
    .filter(({ userId }) => userId === account.number.value)
    .map(({ meetingId }) => model.meetings.get(meetingId));
  return (
    memberOf(other, account.email) !== undefined ||
    pendingOf(other, account.email) !== undefined ||
    seats.some((meeting) => meeting?.organizationId === other.id)
  );
}

/** The same operation under two paths. */
const issuing =
  (operation: string, segment: string) =>
  (organization: fc.Arbitrary<0 | 1>, which: fc.Arbitrary<number> = chosen): fc.Arbitrary<Step> =>
    fc.record({ caller: callerOf(organization), chosen: which }).map((given) => {
      const plan = (model: Model, organization: OrganizationModel): Plan => {
        const uuid = someUuid(model, organization, { number: given.chosen, wanted: 'members' });
        const member = memberWith(organization, uuid);
        const pending = organization.invitations.find(
          ({ id, stored }) => isSame(id, uuid) && stored === 'pending',
        );
        const call = { method: 'POST', path: ['/users/', uuid, segment] };
        if (member === undefined && pending !== undefined) return { call, answer: invitationPending };
        if (member === undefined) return { call, answer: refused(400, 'user-not-found', 'User not found') };
        const url = new Cell(forms.url, organization.index);
        const link = { url, organization, member, issuedAt: model.now, isOpen: true };
        return {
          call,
          answer: {
            status: 200,
            body: { success: 'OTL link generated', otl_url: url },
            effect: () => void model.links.push(link),
          },
        };
      };
      return new ApiCall(operation, given.caller, plan);
    });

export const invitationPending = refused(
  400,
  'invitation-pending',
  'The user has not accepted the invitation yet',
);

export const issueLoginLink = issuing('issueLoginLink', '/generate_otl_url');

export const userSteps: readonly fc.Arbitrary<Step>[] = [
  listUsers,
  readUser,
  changeUser,
  removeUser(eitherOrganization),
  issueLoginLink(eitherOrganization),
  issuing('issueLoginLinkBySegment', '/one_time_login_link')(eitherOrganization),
];

import type { OutgoingHttpHeaders } from 'node:http';

/** What is known about the person afterwards, of that only what a row names. Null: there is no such person. */
interface PersonState {
  readonly userName?: string;
  readonly externalId?: string | null;
  readonly givenName?: string | null;
  readonly familyName?: string | null;
  readonly displayName?: string | null;
  readonly email?: string | null;
  readonly isActive?: boolean;
  readonly isMember?: boolean;
}

/** A request as an identity provider really sends it (`sign-in.md`, section 7). */
export interface ProviderRequest {
  readonly rows: readonly number[];
  readonly who: string;
  /** Who is in the directory before, as POST bodies; the id of the first replaces `:id`. Left out: Ada. */
  readonly before?: readonly object[];
  readonly send: readonly [method: string, path: string, body?: unknown, headers?: OutgoingHttpHeaders];
  readonly status: number;
  /** What the answer has, among others. */
  readonly answer?: object;
  /** The first person afterwards, or else the person that a POST has made. */
  readonly state?: PersonState | null;
}

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export const ada = {
  schemas: [USER],
  userName: 'ada@north.test',
  externalId: '00uA1',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ primary: true, value: 'ada@north.test', type: 'work' }],
  displayName: 'Ada Lovelace',
  active: true,
};
const bo = { ...ada, userName: 'bo@north.test', externalId: '00uB2', emails: [{ value: 'bo@north.test' }] };
const cy = { ...ada, userName: 'Cy@North.test', externalId: 'cy1', emails: [{ value: 'cy@north.test' }] };

const nobody: readonly object[] = [];
const inactive = [{ ...ada, active: false }];
const empty = { totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] };
const filtered = (filter: string): string => `/Users?filter=${encodeURIComponent(filter)}`;
const operations = (...list: readonly object[]) => ({ schemas: [PATCH], Operations: list });
const refusal = (status: number, scimType?: string) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType === undefined ? {} : { scimType }),
});
const unchanged: PersonState = {
  ...{ userName: 'ada@north.test', externalId: '00uA1', givenName: 'Ada', familyName: 'Lovelace' },
  ...{ email: 'ada@north.test', isActive: true, isMember: true },
};
const gone: PersonState = { ...unchanged, isActive: false, isMember: false };
const isGone = { answer: { active: false }, state: gone };
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
const found = { totalResults: 1 };
const listed = (totalResults: number, itemsPerPage: number, startIndex = 1) => ({
  totalResults,
  itemsPerPage,
  startIndex,
});
const byName = filtered('userName eq "ada@north.test"');
const json = { 'Content-Type': 'application/json' };

type Rows = readonly number[];
type More = Partial<ProviderRequest>;
type Row = (who: string, rows: Rows, sent: object, more?: More) => ProviderRequest;

const read = (who: string, rows: Rows, path: string, answer: object, more?: More): ProviderRequest => ({
  ...{ rows, who, send: ['GET', path], status: 200, answer },
  ...more,
});
const created: Row = (who, rows, body, more) => ({
  ...{ rows, who, before: nobody, send: ['POST', '/Users', body], status: 201, state: unchanged },
  ...more,
});
const put: Row = (who, rows, body, more) => ({
  ...{ rows, who, send: ['PUT', '/Users/:id', body], status: 200, ...more },
});
const patched = (
  who: string,
  rows: Rows,
  operation: object | readonly object[],
  state: PersonState,
  more?: More,
): ProviderRequest => ({
  ...{ rows, who, send: ['PATCH', '/Users/:id', operations(...[operation].flat())], status: 200 },
  ...{ state: { ...unchanged, ...state }, ...more },
});
const group = (who: string, rows: Rows, send: ProviderRequest['send']): ProviderRequest => ({
  ...{ rows, who, send, status: 501, answer: refusal(501), state: unchanged },
});
const groupPatched = (who: string, rows: Rows, ...changes: readonly object[]) =>
  group(who, rows, ['PATCH', '/Groups/g1', operations(...changes)]);

export const providerRequests: readonly ProviderRequest[] = [
  read('Entra, Test Connection', [1], filtered('userName eq "5b0c9a52-7a5c-4b33-a1cb-8f0f6d6bb5c5"'), empty, {
    state: unchanged,
  }),
  read(
    'Entra, Test Connection with another attribute',
    [1],
    filtered('externalId eq "5b0c9a52-7a5c-4b33-a1cb-8f0f6d6bb5c5"'),
    empty,
  ),
  read('Okta, Test API credentials', [2], '/Users?startIndex=1&count=2', listed(2, 2)),
  read('Okta, older suite', [2], '/Users?startIndex=1&count=1', listed(2, 1)),
  read('Okta, before create', [3], `${byName}&startIndex=1&count=100`, empty, { before: nobody }),
  read(
    'Okta, its suite in capitals',
    [7],
    `${filtered('userName eq "ADA@NORTH.TEST"')}&startIndex=1&count=100`,
    listed(1, 1),
  ),
  created(
    'Okta, create',
    [4],
    { ...ada, locale: 'en-US', groups: [], password: 'x9-secret' },
    {
      answer: {
        ...{ userName: 'ada@north.test', externalId: '00uA1', displayName: 'Ada Lovelace', active: true },
        name: { givenName: 'Ada', familyName: 'Lovelace' },
        emails: [{ value: 'ada@north.test', type: 'work', primary: true }],
      },
    },
  ),
  created('Okta suite, create', [5], ada, {
    send: ['POST', '/Users', ada, { ...json, Accept: 'application/scim+json; charset=utf-8' }],
    answer: { userName: 'ada@north.test' },
  }),
  created('Okta suite, the same again', [6], ada, {
    ...{ before: [ada], send: ['POST', '/Users', ada, json], status: 409 },
    answer: refusal(409, 'uniqueness'),
  }),
  put(
    'Okta, wizard app, update',
    [8],
    {
      ...ada,
      ...{ id: 'another', meta: { resourceType: 'User', version: 'W/"1"' }, groups: [{ value: 'g' }] },
      name: { givenName: 'Ada', familyName: 'King' },
      nickName: 'Countess',
    },
    {
      answer: { name: { givenName: 'Ada', familyName: 'King' } },
      state: { ...unchanged, familyName: 'King' },
    },
  ),
  {
    ...{ rows: [9], who: 'Okta, deactivate in a catalog app' },
    send: ['PATCH', '/Users/:id', { Operations: [{ op: 'replace', value: { active: false } }] }],
    ...{ status: 200, answer: { active: false }, state: gone },
  },
  put('Okta, deactivate in a wizard app', [10], { ...ada, active: false }, isGone),
  put('any, PUT without active', [10], { ...ada, active: undefined }, { ...isGone, before: inactive }),
  read(
    'Okta, reads an inactive person',
    [11],
    '/Users/:id',
    { active: false },
    { before: inactive, state: gone },
  ),
  {
    ...{ rows: [11], who: 'Okta, reactivate', before: inactive },
    send: ['PATCH', '/Users/:id', { Operations: [{ op: 'replace', value: { active: true } }] }],
    ...{ status: 200, answer: { active: true }, state: unchanged },
  },
  read('Okta, import', [12], '/Users?startIndex=1&count=100', listed(4, 4), { before: [ada, bo, cy] }),
  group('Okta, group push', [13], ['POST', '/Groups', { displayName: 'Team', members: [] }]),
  groupPatched('Okta, group push, before each change', [13], {
    op: 'replace',
    value: { id: 'g1', displayName: 'Team' },
  }),
  groupPatched(
    'Okta, group members',
    [14],
    { op: 'remove', path: 'members[value eq "u1"]' },
    { op: 'add', path: 'members', value: [{ value: 'u2', display: 'Bo' }] },
  ),
  group('Okta, full push of a wizard app', [14], ['PUT', '/Groups/g1', { displayName: 'Team', members: [] }]),
  patched('Okta, PATCH must be supported', [15], replace('displayName', 'A'), { displayName: 'A' }),
  created(
    'Okta, empty texts',
    [16],
    { ...ada, displayName: '', nickName: '', externalId: '' },
    { state: { ...unchanged, displayName: null, externalId: null } },
  ),
  patched('Okta, a list of one Boolean', [17], replace('active', [false]), gone),
  created(
    'Entra, create',
    [19],
    {
      ...{ schemas: [USER, ENTERPRISE], externalId: '0a21f0f2', userName: 'Ada_UPN@North.test' },
      ...{ active: true, displayName: 'Ada', meta: { resourceType: 'User' }, roles: [] },
      name: { formatted: 'Ada L', familyName: 'L', givenName: 'Ada' },
      emails: [{ primary: true, type: 'work', value: 'Ada@North.test' }],
    },
    {
      answer: { userName: 'Ada_UPN@North.test', externalId: '0a21f0f2' },
      state: {
        ...{ userName: 'Ada_UPN@North.test', externalId: '0a21f0f2', email: 'Ada@North.test' },
        ...{ isActive: true, isMember: true, familyName: 'L' },
      },
    },
  ),
  created('Entra, explicit nulls', [20], {
    ...{ ...ada, addresses: null, phoneNumbers: null, title: null, manager: null, department: 'Maths' },
  }),
  created('Entra, its sample with a colon missing', [21], {
    ...{ ...ada, schemas: ['urn:ietf:params:scim:schemas:extension:enterprise:2.0User', USER] },
  }),
  patched('Entra, disable', [22, 24], { op: 'Replace', path: 'active', value: 'False' }, gone),
  patched('Entra, enable', [23, 24], { op: 'Add', path: 'active', value: 'True' }, {}, { before: inactive }),
  patched('Entra, removes a name', [24], { op: 'Remove', path: 'name.givenName' }, { givenName: null }),
  patched(
    'Entra, replaces the address',
    [25],
    { op: 'Replace', path: 'emails[type eq "work"].value', value: 'n@north.test' },
    { email: 'n@north.test' },
  ),
  patched(
    'Entra, adds an address where there is none',
    [25],
    { op: 'Add', path: 'emails[type eq "work"].value', value: 'n@north.test' },
    { email: 'n@north.test' },
    { before: [{ ...ada, emails: [] }] },
  ),
  patched(
    'Entra with its flag',
    [26],
    {
      op: 'replace',
      value: { displayName: 'B', 'name.givenName': 'Bo', [`${ENTERPRISE}:employeeNumber`]: '7' },
    },
    { displayName: 'B', givenName: 'Bo' },
  ),
  patched(
    'Entra, manager in three forms',
    [27],
    [
      { op: 'Add', path: 'manager', value: [{ value: '1' }] },
      { op: 'Add', path: 'manager', value: '1' },
      { op: 'Replace', path: `${ENTERPRISE}:manager`, value: '1' },
      { op: 'Replace', path: 'displayName', value: 'C' },
    ],
    { displayName: 'C' },
  ),
  patched(
    'Entra, an unknown attribute beside active',
    [28],
    [
      { op: 'Add', path: 'companyName', value: 'North' },
      { op: 'Replace', path: 'active', value: false },
    ],
    gone,
  ),
  patched(
    'Entra, rename',
    [29],
    [
      { op: 'Replace', path: 'userName', value: 'ada.king@north.test' },
      { op: 'Replace', path: 'externalId', value: '00uA9' },
    ],
    { userName: 'ada.king@north.test', externalId: '00uA9' },
  ),
  patched(
    'Entra, rename to a taken name',
    [29],
    { op: 'Replace', path: 'userName', value: 'BO@north.test' },
    {},
    { before: [ada, bo], status: 409, answer: refusal(409, 'uniqueness') },
  ),
  read('Entra guide, a filter without quotation marks', [30], filtered('externalId eq 00uA1'), found),
  read('Entra, matching by mail', [31], filtered('emails[type eq "work"].value eq "ADA@north.test"'), found, {
    before: [ada, { ...bo, emails: [] }],
  }),
  read(
    'Entra, reference check',
    [32],
    `${filtered('id eq "1" and manager eq "2"')}&attributes=id`,
    refusal(400, 'invalidFilter'),
    { status: 400 },
  ),
  read('Entra, a disabled person by filter', [33], byName, found, { before: inactive, state: gone }),
  { rows: [34], who: 'Entra, purge', send: ['DELETE', '/Users/:id'], status: 204, state: null },
  patched(
    'Entra, an emptied attribute is not sent',
    [35],
    { op: 'Replace', path: 'displayName', value: 'D' },
    { displayName: 'D' },
  ),
  group(
    'Entra, creates a group',
    [36],
    [
      'POST',
      '/Groups',
      {
        schemas: ['http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
        displayName: 'T',
      },
    ],
  ),
  read(
    'Entra, reads groups',
    [36],
    '/Groups?excludedAttributes=members&filter=displayName%20eq%20"T"',
    empty,
  ),
  groupPatched('Entra, removes a group member', [36], {
    ...{ op: 'Remove', path: 'members', value: [{ $ref: null, value: 'u1' }] },
  }),
  patched('Entra validator, no operations', [37], [], {}, { answer: { userName: 'ada@north.test' } }),
  {
    ...{ rows: [38], who: 'Entra, the secret left blank' },
    send: ['GET', '/Users', undefined, { Authorization: 'Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln' }],
    ...{ status: 401, answer: refusal(401), state: unchanged },
  },
  read(
    'Entra, an error has its type as well',
    [40],
    '/Users/00000000-0000-4000-8000-000000000000',
    refusal(404),
    { status: 404 },
  ),
  created('OneLogin, one address as an object', [41], { ...ada, emails: { value: 'ada@north.test' } }),
  created('OneLogin, a list without primary', [41], {
    ...{ ...ada, emails: [{ value: 'ada@north.test' }, { value: 'b@north.test' }] },
  }),
  read('OneLogin, saving', [42], '/ServiceProviderConfig', {
    ...{ patch: { supported: true }, filter: { supported: true, maxResults: 200 } },
    ...{ sort: { supported: false }, changePassword: { supported: false } },
  }),
  groupPatched('OneLogin, groups, without a User-Agent', [43], { op: 'add', path: 'members', value: [] }),
  created(
    'OneLogin, explicit nulls',
    [44],
    { ...ada, displayName: null, name: { ...ada.name, middleName: null } },
    { state: { ...unchanged, displayName: null } },
  ),
  put('OneLogin, off-boarding by active', [44], { ...ada, active: false }, isGone),
  {
    rows: [44],
    who: 'OneLogin, off-boarding by DELETE',
    send: ['DELETE', '/Users/:id'],
    status: 204,
    state: null,
  },
  read('JumpCloud, activation', [45], '/Users', found, { before: nobody }),
  read('JumpCloud, activation, groups', [45], '/Groups', empty),
  patched(
    'JumpCloud, one operation for each attribute',
    [46],
    [replace('name.givenName', 'Bo'), replace('name.familyName', 'King'), replace('active', true)],
    { givenName: 'Bo', familyName: 'King' },
  ),
  groupPatched('JumpCloud, group members', [47], { op: 'remove', path: 'members', value: [{ value: 'u1' }] }),
  read('Google, a body type on GET', [48], byName, found, {
    send: ['GET', byName, undefined, { ...json, 'User-Agent': 'Google-Auto-Provisioning' }],
  }),
  created('Google, a suspended person', [49], ada, {
    ...isGone,
    send: ['POST', '/Users', { ...ada, active: false }, json],
  }),
  created('Ping, creates a disabled person', [50], { ...ada, active: false }, { state: gone }),
  read('Ping, filters by another attribute', [50], filtered('emails.value eq "ada@north.test"'), found),
  read('any, a start of 0', [51], '/Users?startIndex=0', listed(2, 2)),
  read('any, a count of 0', [51], '/Users?count=0', { ...listed(2, 0), Resources: [] }),
  read('any, a negative count', [51], '/Users?count=-1', { ...listed(2, 0), Resources: [] }),
  read('any, a start past the end', [51], '/Users?startIndex=99', { ...listed(2, 0, 99), Resources: [] }),
  {
    ...{ rows: [52], who: 'any, names in another case and no schemas' },
    send: [
      'PATCH',
      '/Users/:id',
      { operations: [{ Op: 'replace', Value: { Active: false, UserName: 'Ada' } }] },
    ],
    ...{ status: 200, state: { ...gone, userName: 'Ada' } },
  },
  created(
    'any, names in another case in POST',
    [52],
    { UserName: 'ada@north.test', Active: 'TRUE', Name: { GivenName: 'Ada' } },
    { state: { userName: 'ada@north.test', givenName: 'Ada', isActive: true } },
  ),
  {
    ...{ rows: [53], who: 'any, an unknown id' },
    send: ['PATCH', '/Users/nobody', operations(replace('active', false))],
    ...{ status: 404, answer: refusal(404), state: unchanged },
  },
  {
    ...{ rows: [54], who: 'any, no ETag' },
    send: ['GET', '/ServiceProviderConfig', undefined, { 'If-Match': 'W/"1"' }],
    ...{
      status: 200,
      answer: { etag: { supported: false }, bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 } },
    },
  },
  {
    ...{ rows: [55], who: 'Polis, as a peer: DELETE has no body here', send: ['DELETE', '/Users/:id'] },
    ...{ status: 204, state: null },
  },
];

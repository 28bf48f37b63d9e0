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
const group = (who: string, rows: readonly number[], send: ProviderRequest['send']): ProviderRequest => ({
  ...{ rows, who, send, status: 501, answer: refusal(501), state: unchanged },
});
const patched = (
  who: string,
  rows: readonly number[],
  operation: object | readonly object[],
  state: PersonState,
): ProviderRequest => ({
  ...{ rows, who, send: ['PATCH', '/Users/:id', operations(...[operation].flat())], status: 200 },
  state: { ...unchanged, ...state },
});

export const providerRequests: readonly ProviderRequest[] = [
  {
    ...{ rows: [1], who: 'Entra, Test Connection' },
    send: ['GET', filtered('userName eq "5b0c9a52-7a5c-4b33-a1cb-8f0f6d6bb5c5"')],
    ...{ status: 200, answer: empty, state: unchanged },
  },
  {
    ...{ rows: [1], who: 'Entra, Test Connection with another attribute' },
    send: ['GET', filtered('externalId eq "5b0c9a52-7a5c-4b33-a1cb-8f0f6d6bb5c5"')],
    ...{ status: 200, answer: empty },
  },
  {
    ...{ rows: [2], who: 'Okta, Test API credentials' },
    send: ['GET', '/Users?startIndex=1&count=2'],
    ...{ status: 200, answer: { totalResults: 2, startIndex: 1, itemsPerPage: 2 } },
  },
  {
    ...{ rows: [2], who: 'Okta, older suite' },
    send: ['GET', '/Users?startIndex=1&count=1'],
    ...{ status: 200, answer: { totalResults: 2, startIndex: 1, itemsPerPage: 1 } },
  },
  {
    ...{ rows: [3], who: 'Okta, before create', before: nobody },
    send: ['GET', `${filtered('userName eq "ada@north.test"')}&startIndex=1&count=100`],
    ...{ status: 200, answer: empty },
  },
  {
    ...{ rows: [7], who: 'Okta, its suite in capitals' },
    send: ['GET', `${filtered('userName eq "ADA@NORTH.TEST"')}&startIndex=1&count=100`],
    ...{ status: 200, answer: { totalResults: 1, itemsPerPage: 1 } },
  },
  {
    ...{ rows: [4], who: 'Okta, create', before: nobody },
    send: [
      'POST',
      '/Users',
      { ...ada, locale: 'en-US', groups: [], password: 'x9-secret', emails: ada.emails },
    ],
    status: 201,
    answer: {
      ...{ userName: 'ada@north.test', externalId: '00uA1', displayName: 'Ada Lovelace', active: true },
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: 'ada@north.test', type: 'work', primary: true }],
    },
    state: unchanged,
  },
  {
    ...{ rows: [5], who: 'Okta suite, create', before: nobody },
    send: [
      ...(['POST', '/Users', ada] as const),
      { 'Content-Type': 'application/json', Accept: 'application/scim+json; charset=utf-8' },
    ],
    ...{ status: 201, answer: { userName: 'ada@north.test' }, state: unchanged },
  },
  {
    ...{ rows: [6], who: 'Okta suite, the same again' },
    send: ['POST', '/Users', ada, { 'Content-Type': 'application/json' }],
    ...{ status: 409, answer: refusal(409, 'uniqueness'), state: unchanged },
  },
  {
    ...{ rows: [8], who: 'Okta, wizard app, update' },
    send: [
      'PUT',
      '/Users/:id',
      {
        ...ada,
        ...{ id: 'another', meta: { resourceType: 'User', version: 'W/"1"' }, groups: [{ value: 'g' }] },
        name: { givenName: 'Ada', familyName: 'King' },
        nickName: 'Countess',
      },
    ],
    ...{ status: 200, answer: { name: { givenName: 'Ada', familyName: 'King' } } },
    state: { ...unchanged, familyName: 'King' },
  },
  {
    ...{ rows: [9], who: 'Okta, deactivate in a catalog app' },
    send: ['PATCH', '/Users/:id', { Operations: [{ op: 'replace', value: { active: false } }] }],
    ...{ status: 200, answer: { active: false }, state: gone },
  },
  {
    ...{ rows: [10], who: 'Okta, deactivate in a wizard app' },
    send: ['PUT', '/Users/:id', { ...ada, active: false }],
    ...{ status: 200, answer: { active: false }, state: gone },
  },
  {
    ...{ rows: [10], who: 'any, PUT without active', before: inactive },
    send: ['PUT', '/Users/:id', { ...ada, active: undefined }],
    ...{ status: 200, answer: { active: false }, state: gone },
  },
  {
    ...{ rows: [11], who: 'Okta, reads an inactive person', before: inactive },
    send: ['GET', '/Users/:id'],
    ...{ status: 200, answer: { active: false }, state: gone },
  },
  {
    ...{ rows: [11], who: 'Okta, reactivate', before: inactive },
    send: ['PATCH', '/Users/:id', { Operations: [{ op: 'replace', value: { active: true } }] }],
    ...{ status: 200, answer: { active: true }, state: unchanged },
  },
  {
    ...{ rows: [12], who: 'Okta, import', before: [ada, bo, cy] },
    send: ['GET', '/Users?startIndex=1&count=100'],
    ...{ status: 200, answer: { totalResults: 4, startIndex: 1, itemsPerPage: 4 } },
  },
  group('Okta, group push', [13], ['POST', '/Groups', { displayName: 'Team', members: [] }]),
  group(
    'Okta, group push, before each change',
    [13],
    ['PATCH', '/Groups/g1', operations({ op: 'replace', value: { id: 'g1', displayName: 'Team' } })],
  ),
  group(
    'Okta, group members',
    [14],
    [
      'PATCH',
      '/Groups/g1',
      operations(
        { op: 'remove', path: 'members[value eq "u1"]' },
        { op: 'add', path: 'members', value: [{ value: 'u2', display: 'Bo' }] },
      ),
    ],
  ),
  group('Okta, full push of a wizard app', [14], ['PUT', '/Groups/g1', { displayName: 'Team', members: [] }]),
  patched(
    'Okta, PATCH must be supported',
    [15],
    { op: 'replace', path: 'displayName', value: 'A' },
    {
      displayName: 'A',
    },
  ),
  {
    ...{ rows: [16], who: 'Okta, empty texts', before: nobody },
    send: ['POST', '/Users', { ...ada, displayName: '', nickName: '', externalId: '' }],
    ...{ status: 201, state: { ...unchanged, displayName: null, externalId: null } },
  },
  patched('Okta, a list of one Boolean', [17], { op: 'replace', path: 'active', value: [false] }, gone),
  {
    ...{ rows: [19], who: 'Entra, create', before: nobody },
    send: [
      'POST',
      '/Users',
      {
        ...{ schemas: [USER, ENTERPRISE], externalId: '0a21f0f2', userName: 'Ada_UPN@North.test' },
        ...{ active: true, displayName: 'Ada', meta: { resourceType: 'User' }, roles: [] },
        name: { formatted: 'Ada L', familyName: 'L', givenName: 'Ada' },
        emails: [{ primary: true, type: 'work', value: 'Ada@North.test' }],
      },
    ],
    ...{ status: 201, answer: { userName: 'Ada_UPN@North.test', externalId: '0a21f0f2' } },
    state: {
      ...{ userName: 'Ada_UPN@North.test', externalId: '0a21f0f2', email: 'Ada@North.test' },
      ...{ isActive: true, isMember: true, familyName: 'L' },
    },
  },
  {
    ...{ rows: [20], who: 'Entra, explicit nulls', before: nobody },
    send: [
      'POST',
      '/Users',
      { ...ada, addresses: null, phoneNumbers: null, title: null, manager: null, department: 'Maths' },
    ],
    ...{ status: 201, state: unchanged },
  },
  {
    ...{ rows: [21], who: 'Entra, its sample with a colon missing', before: nobody },
    send: [
      'POST',
      '/Users',
      { ...ada, schemas: ['urn:ietf:params:scim:schemas:extension:enterprise:2.0User', USER] },
    ],
    ...{ status: 201, state: unchanged },
  },
  patched('Entra, disable', [22, 24], { op: 'Replace', path: 'active', value: 'False' }, gone),
  {
    ...patched('Entra, enable', [23, 24], { op: 'Add', path: 'active', value: 'True' }, {}),
    before: inactive,
  },
  patched('Entra, removes a name', [24], { op: 'Remove', path: 'name.givenName' }, { givenName: null }),
  patched(
    'Entra, replaces the address',
    [25],
    { op: 'Replace', path: 'emails[type eq "work"].value', value: 'n@north.test' },
    { email: 'n@north.test' },
  ),
  {
    ...patched(
      'Entra, adds an address where there is none',
      [25],
      { op: 'Add', path: 'emails[type eq "work"].value', value: 'n@north.test' },
      { email: 'n@north.test' },
    ),
    before: [{ ...ada, emails: [] }],
  },
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
  {
    ...patched(
      'Entra, rename to a taken name',
      [29],
      { op: 'Replace', path: 'userName', value: 'BO@north.test' },
      {},
    ),
    ...{ before: [ada, bo], status: 409, answer: refusal(409, 'uniqueness') },
  },
  {
    ...{ rows: [30], who: 'Entra guide, a filter without quotation marks' },
    send: ['GET', filtered('externalId eq 00uA1')],
    ...{ status: 200, answer: { totalResults: 1 } },
  },
  {
    ...{ rows: [31], who: 'Entra, matching by mail', before: [ada, { ...bo, emails: [] }] },
    send: ['GET', filtered('emails[type eq "work"].value eq "ADA@north.test"')],
    ...{ status: 200, answer: { totalResults: 1 } },
  },
  {
    ...{ rows: [32], who: 'Entra, reference check' },
    send: ['GET', `${filtered('id eq "1" and manager eq "2"')}&attributes=id`],
    ...{ status: 400, answer: refusal(400, 'invalidFilter') },
  },
  {
    ...{ rows: [33], who: 'Entra, a disabled person by filter', before: inactive },
    send: ['GET', filtered('userName eq "ada@north.test"')],
    ...{ status: 200, answer: { totalResults: 1 }, state: gone },
  },
  { rows: [34], who: 'Entra, purge', send: ['DELETE', '/Users/:id'], status: 204, state: null },
  {
    ...{ rows: [35], who: 'Entra, an emptied attribute is not sent' },
    send: ['PATCH', '/Users/:id', operations({ op: 'Replace', path: 'displayName', value: 'D' })],
    ...{ status: 200, state: { ...unchanged, displayName: 'D' } },
  },
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
  {
    ...{ rows: [36], who: 'Entra, reads groups' },
    send: ['GET', '/Groups?excludedAttributes=members&filter=displayName eq "T"'.replaceAll(' ', '%20')],
    ...{ status: 200, answer: empty },
  },
  group(
    'Entra, removes a group member',
    [36],
    [
      'PATCH',
      '/Groups/g1',
      operations({ op: 'Remove', path: 'members', value: [{ $ref: null, value: 'u1' }] }),
    ],
  ),
  {
    ...{ rows: [37], who: 'Entra validator, no operations' },
    send: ['PATCH', '/Users/:id', operations()],
    ...{ status: 200, answer: { userName: 'ada@north.test' }, state: unchanged },
  },
  {
    ...{ rows: [38], who: 'Entra, the secret left blank' },
    send: ['GET', '/Users', undefined, { Authorization: 'Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln' }],
    ...{ status: 401, answer: refusal(401), state: unchanged },
  },
  {
    ...{ rows: [40], who: 'Entra, an error has its type as well' },
    send: ['GET', '/Users/00000000-0000-4000-8000-000000000000'],
    ...{ status: 404, answer: refusal(404) },
  },
  {
    ...{ rows: [41], who: 'OneLogin, one address as an object', before: nobody },
    send: ['POST', '/Users', { ...ada, emails: { value: 'ada@north.test' } }],
    ...{ status: 201, state: unchanged },
  },
  {
    ...{ rows: [41], who: 'OneLogin, a list without primary', before: nobody },
    send: ['POST', '/Users', { ...ada, emails: [{ value: 'ada@north.test' }, { value: 'b@north.test' }] }],
    ...{ status: 201, state: unchanged },
  },
  {
    ...{ rows: [42], who: 'OneLogin, saving' },
    send: ['GET', '/ServiceProviderConfig'],
    status: 200,
    answer: {
      ...{ patch: { supported: true }, filter: { supported: true, maxResults: 200 } },
      ...{ sort: { supported: false }, changePassword: { supported: false } },
    },
  },
  {
    ...group(
      'OneLogin, groups, without a User-Agent',
      [43],
      ['PATCH', '/Groups/g1', operations({ op: 'add', path: 'members', value: [] })],
    ),
  },
  {
    ...{ rows: [44], who: 'OneLogin, explicit nulls', before: nobody },
    send: ['POST', '/Users', { ...ada, displayName: null, name: { ...ada.name, middleName: null } }],
    ...{ status: 201, state: { ...unchanged, displayName: null } },
  },
  {
    ...{ rows: [44], who: 'OneLogin, off-boarding by active' },
    send: ['PUT', '/Users/:id', { ...ada, active: false }],
    ...{ status: 200, state: gone },
  },
  {
    rows: [44],
    who: 'OneLogin, off-boarding by DELETE',
    send: ['DELETE', '/Users/:id'],
    status: 204,
    state: null,
  },
  {
    ...{ rows: [45], who: 'JumpCloud, activation', before: nobody },
    send: ['GET', '/Users'],
    ...{ status: 200, answer: { totalResults: 1 } },
  },
  { rows: [45], who: 'JumpCloud, activation, groups', send: ['GET', '/Groups'], status: 200, answer: empty },
  patched(
    'JumpCloud, one operation for each attribute',
    [46],
    [
      { op: 'replace', path: 'name.givenName', value: 'Bo' },
      { op: 'replace', path: 'name.familyName', value: 'King' },
      { op: 'replace', path: 'active', value: true },
    ],
    { givenName: 'Bo', familyName: 'King' },
  ),
  group(
    'JumpCloud, group members',
    [47],
    ['PATCH', '/Groups/g1', operations({ op: 'remove', path: 'members', value: [{ value: 'u1' }] })],
  ),
  {
    ...{ rows: [48], who: 'Google, a body type on GET' },
    send: [
      ...(['GET', filtered('userName eq "ada@north.test"'), undefined] as const),
      { 'User-Agent': 'Google-Auto-Provisioning', 'Content-Type': 'application/json' },
    ],
    ...{ status: 200, answer: { totalResults: 1 } },
  },
  {
    ...{ rows: [49], who: 'Google, a suspended person', before: nobody },
    send: ['POST', '/Users', { ...ada, active: false }, { 'Content-Type': 'application/json' }],
    ...{ status: 201, answer: { active: false }, state: gone },
  },
  {
    ...{ rows: [50], who: 'Ping, creates a disabled person', before: nobody },
    send: ['POST', '/Users', { ...ada, active: false }],
    ...{ status: 201, state: gone },
  },
  {
    ...{ rows: [50], who: 'Ping, filters by another attribute' },
    send: ['GET', filtered('emails.value eq "ada@north.test"')],
    ...{ status: 200, answer: { totalResults: 1 } },
  },
  ...(
    [
      ['startIndex=0', { totalResults: 2, startIndex: 1, itemsPerPage: 2 }],
      ['count=0', { totalResults: 2, itemsPerPage: 0, Resources: [] }],
      ['count=-1', { totalResults: 2, itemsPerPage: 0, Resources: [] }],
      ['startIndex=99', { totalResults: 2, startIndex: 99, itemsPerPage: 0, Resources: [] }],
    ] as const
  ).map(
    ([query, answer]): ProviderRequest => ({
      ...{ rows: [51], who: `any, ${query}`, send: ['GET', `/Users?${query}`], status: 200, answer },
    }),
  ),
  {
    ...{ rows: [52], who: 'any, names in another case and no schemas' },
    send: [
      'PATCH',
      '/Users/:id',
      { operations: [{ Op: 'replace', Value: { Active: false, UserName: 'Ada' } }] },
    ],
    ...{ status: 200, state: { ...gone, userName: 'Ada' } },
  },
  {
    ...{ rows: [52], who: 'any, names in another case in POST', before: nobody },
    send: ['POST', '/Users', { UserName: 'ada@north.test', Active: 'TRUE', Name: { GivenName: 'Ada' } }],
    ...{ status: 201, state: { userName: 'ada@north.test', givenName: 'Ada', isActive: true } },
  },
  {
    ...{ rows: [53], who: 'any, an unknown id' },
    send: ['PATCH', '/Users/nobody', operations({ op: 'replace', path: 'active', value: false })],
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

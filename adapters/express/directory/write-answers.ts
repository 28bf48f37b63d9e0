import type { DirectoryPerson } from '@rollcall/core';
import type { DirectoryErrorAnswer } from './directory-error.js';

/** The paths of directories start with this, and then have the number of the organization. */
export const DIRECTORY_BASE = '/scim/v2';

export const DIRECTORY_TYPE = 'application/scim+json; charset=utf-8';

const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
const message = (name: string): string => `urn:ietf:params:scim:api:messages:2.0:${name}`;
const schema = (name: string): string => `urn:ietf:params:scim:schemas:core:2.0:${name}`;

/** Where the directory of an organization is. */
export interface Place {
  readonly publicUrl: string;
  readonly organizationId: number;
}

/** The address of the directory of an organization. */
export function directoryAddress({ publicUrl, organizationId }: Place): string {
  return `${publicUrl}${DIRECTORY_BASE}/${organizationId}`;
}

export function personAddress(place: Place, uuid: string): string {
  return `${directoryAddress(place)}/Users/${uuid}`;
}

/** A person as SCIM has one. What is not known is left out. */
export function personAnswer(place: Place, person: DirectoryPerson): object {
  const { uuid, userName, externalId, givenName, familyName, displayName, email, isActive } = person;
  return {
    schemas: [USER_SCHEMA],
    id: uuid,
    ...known({ externalId }),
    userName,
    name: known({ givenName, familyName }),
    ...known({ displayName }),
    emails: email === null ? [] : [{ value: email, type: 'work', primary: true }],
    active: isActive,
    meta: { resourceType: 'User', location: personAddress(place, uuid) },
  };
}

function known(values: Readonly<Record<string, string | null>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** A page of a list. `startIndex` counts from 1. */
export function listAnswer({
  total,
  startIndex,
  resources,
}: {
  readonly total: number;
  readonly startIndex: number;
  readonly resources: readonly object[];
}): object {
  return {
    schemas: [message('ListResponse')],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

export function errorBody({ status, scimType, detail }: Omit<DirectoryErrorAnswer, 'headers'>): object {
  return {
    schemas: [message('Error')],
    status: String(status),
    ...(scimType === null ? {} : { scimType }),
    detail,
  };
}

/** How many people a page has at most. */
export const MAX_RESULTS = 200;

export function serviceProviderConfig(place: Place): object {
  const no = { supported: false };
  return {
    schemas: [schema('ServiceProviderConfig')],
    patch: { supported: true },
    bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_RESULTS },
    changePassword: no,
    sort: no,
    etag: no,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'The token that an owner of the organization creates on its Directory page',
        primary: true,
      },
    ],
    meta: {
      resourceType: 'ServiceProviderConfig',
      location: `${directoryAddress(place)}/ServiceProviderConfig`,
    },
  };
}

export function resourceTypes(place: Place): readonly object[] {
  return ['User', 'Group'].map((name) => ({
    schemas: [schema('ResourceType')],
    id: name,
    name,
    endpoint: `/${name}s`,
    schema: schema(name),
    meta: { resourceType: 'ResourceType', location: `${directoryAddress(place)}/ResourceTypes/${name}` },
  }));
}

export function schemas(place: Place): readonly object[] {
  const attribute = (name: string, more: object = {}) => ({
    ...{ name, type: 'string', multiValued: false, required: false, caseExact: false },
    ...{ mutability: 'readWrite', returned: 'default', uniqueness: 'none', ...more },
  });
  return [
    {
      schemas: [schema('Schema')],
      id: USER_SCHEMA,
      name: 'User',
      attributes: [
        attribute('userName', { required: true, uniqueness: 'server' }),
        attribute('externalId', { caseExact: true, uniqueness: 'server' }),
        attribute('name', {
          type: 'complex',
          subAttributes: [attribute('givenName'), attribute('familyName')],
        }),
        attribute('displayName'),
        attribute('emails', {
          type: 'complex',
          multiValued: true,
          subAttributes: [attribute('value'), attribute('type'), attribute('primary', { type: 'boolean' })],
        }),
        attribute('active', { type: 'boolean' }),
      ],
      meta: { resourceType: 'Schema', location: `${directoryAddress(place)}/Schemas/${USER_SCHEMA}` },
    },
  ];
}

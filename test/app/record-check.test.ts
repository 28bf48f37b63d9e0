import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { datasetSchema } from '@rollcall/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createRecordCheck } from '#app/dataset/record-check.js';
import {
  type Fields,
  meeting,
  membership,
  organization,
  rules,
  user,
  waiting,
} from '../support/import-records.js';

describe('The check of a record', () => {
  const check = createRecordCheck(rules);
  const checked = (record: Fields): Fields =>
    check({ number: 12, text: JSON.stringify(record) }) as unknown as Fields;

  test('has a valid schema, which it trusts', () => {
    const ajv = new Ajv2020();
    assert.ok(ajv.validateSchema(datasetSchema()), ajv.errorsText());
    // The quick checks would accept two code units where two characters are needed.
    assert.doesNotMatch(JSON.stringify(datasetSchema()), /"minLength":(?!1\b)/);
  });

  test('counts characters, not code units', () => {
    const longest = { ...organization, name: '\u{1d538}'.repeat(300) };
    assert.equal(checked(longest).name, longest.name);
  });

  test('allows in a record that removes what the record that it removes may have', () => {
    const definitions = datasetSchema().$defs as Readonly<Record<string, { readonly properties?: object }>>;
    const removals = Object.keys(definitions).filter((name) => name.endsWith('_removed'));
    assert.equal(removals.length, 6);
    const fieldsOf = (name: string) => Object.keys(definitions[name]?.properties ?? {});
    for (const removal of removals)
      assert.deepEqual(fieldsOf(removal), fieldsOf(removal.replace('_removed', '')), removal);
  });

  test('hashes the access key and keeps no part of it', () => {
    assert.deepEqual(checked(organization), {
      kind: 'organization',
      id: 1,
      name: 'Northwind',
      eap: true,
      access_key_hash: `hash of ${'1'.repeat(24)}`,
    });
  });

  test('adds no fields', () => {
    assert.deepEqual(checked({ kind: 'organization', id: 1, name: 'N' }), {
      kind: 'organization',
      id: 1,
      name: 'N',
    });
    assert.deepEqual(checked(waiting), waiting);
  });

  test('normalizes an address', () => {
    assert.equal(checked({ ...user, email: ' Re\u0301ne\u0301@Example.TEST' }).email, 'réné@example.test');
  });

  test('keeps only the key of a removal', () => {
    assert.deepEqual(checked({ ...user, deleted: true }), { kind: 'user', deleted: true, id: 100 });
    assert.deepEqual(checked({ ...membership, deleted: true }), {
      kind: 'membership',
      deleted: true,
      organization_id: 1,
      user_id: 100,
    });
  });

  const wrong: readonly (readonly [record: Fields, message: string])[] = [
    [
      { ...meeting, kind: 'appointment' },
      'kind: must be one of organization, user, membership, meeting, registration, waitlist_entry',
    ],
    [{ id: 1 }, 'kind: must be one of organization, user, membership, meeting, registration, waitlist_entry'],
    [{ ...user, first_name: undefined }, 'first_name: is required'],
    [{ ...user, nickname: 'D' }, 'nickname: is not a field of user'],
    [{ ...user, id: '100' }, 'id: must be an integer'],
    [{ ...user, id: 2 ** 53 }, 'id: must be at most 9007199254740991'],
    [{ ...user, uuid: 'not-a-uuid' }, 'uuid: must be a UUID'],
    [{ ...user, email: 'dana' }, 'email: must be an email address such as dana@example.com'],
    [
      { ...user, email: 'da\u034fna@example.test' },
      'email: must be an email address such as dana@example.com',
    ],
    [
      { ...user, email: 'dana@\u3164example.test' },
      'email: must be an email address such as dana@example.com',
    ],
    ...(
      [
        [organization, 'name'],
        [user, 'first_name'],
        [user, 'last_name'],
        [membership, 'idp_id'],
      ] as const
    ).flatMap(([record, field]) =>
      (
        [
          ['a\nb', 'must not contain control characters'],
          ['a\u001bb', 'must not contain control characters'],
          ['a\u0085b', 'must not contain control characters'],
          ['a\u2028b', 'must not contain line breaks or characters that change the direction of text'],
          ['a\u202eb', 'must not contain line breaks or characters that change the direction of text'],
          ['\u200b', 'must not be empty'],
        ] as const
      ).map(([text, message]) => [{ ...record, [field]: text }, `${field}: ${message}`] as const),
    ),
    [{ ...user, first_name: '  ' }, 'first_name: must be more than spaces'],
    [{ ...waiting, status: '' }, 'status: must be one of waiting, accepted, rejected, offered, expired'],
    [{ ...meeting, status: '' }, 'status: must not be empty'],
    [{ ...organization, name: '\u{1d538}'.repeat(301) }, 'name: must have at most 300 characters'],
    [{ ...meeting, status: 'x'.repeat(10_000) }, 'status: must have at most 500 characters'],
    [{ ...user, first_name: 'a\u0000b' }, 'first_name: must not contain U+0000 or half of a surrogate pair'],
    [{ ...user, last_name: '\ud800' }, 'last_name: must not contain U+0000 or half of a surrogate pair'],
    [
      { ...user, created_at: '2026-02-30T00:00:00Z' },
      'created_at: must be a valid date and time with its offset, such as 2026-11-20T18:00:00Z',
    ],
    [
      { ...user, created_at: '2016-12-31T23:59:60Z' },
      'created_at: must be a valid date and time with its offset, such as 2026-11-20T18:00:00Z',
    ],
    [
      { ...user, created_at: '9999-12-31T23:59:59-01:00' },
      'created_at: must be a valid date and time with its offset, such as 2026-11-20T18:00:00Z',
    ],
    [
      { ...user, avatar: 'javascript:alert(1)' },
      'avatar: must be the http or https URL of a picture, or null',
    ],
    [{ ...organization, access_key: '123' }, 'access_key: must be 24 digits'],
    [
      { ...organization, time_zone: 'Mars/Olympus' },
      'time_zone: must be an IANA time zone such as Europe/Berlin, or null',
    ],
    [{ ...membership, role: 'boss' }, 'role: must be one of owner, admin, member'],
    [
      { ...meeting, start_time: '2026-11-20 18:00' },
      'start_time: must be a valid date and time with its offset, such as 2026-11-20T18:00:00Z',
    ],
    [{ ...meeting, end_time: undefined }, 'end_time: end_time or duration is required'],
    [
      { ...meeting, location: 'teams' },
      'location: must be service or zoom (see SERVICE_NAME and THIRD_PARTY_LOCATION)',
    ],
    [{ ...meeting, duration: -1 }, 'duration: must be at least 0'],
    [
      { ...meeting, eap_organization_ids: [1] },
      "eap_organization_ids: must be empty when organization_id is set: only the service's own meetings can be tied",
    ],
    [{ ...meeting, max_attendees: 2 ** 31 }, 'max_attendees: must be at most 2147483647'],
    [
      { ...waiting, status: 'hoping' },
      'status: must be one of waiting, accepted, rejected, offered, expired',
    ],
    ...['2026-11-20 18:00', '2026-02-30T00:00:00Z', '2016-12-31T23:59:60Z'].map(
      (offered_until) =>
        [
          { ...waiting, offered_until },
          'offered_until: must be a valid date and time with its offset, such as 2026-11-20T18:00:00Z, or null',
        ] as const,
    ),
    [{ ...waiting, offered_until: 5 }, 'offered_until: must be a string or null'],
    [{ kind: 'meeting', deleted: true }, 'id: is required'],
    [{ ...user, deleted: 'yes' }, 'deleted: must be false'],
  ];
  for (const [record, message] of wrong) {
    test(`refuses ${message}`, () => {
      assert.throws(
        () => checked(record),
        (error: Error & { line?: number; field?: string }) => {
          assert.deepEqual([error.line, `${error.field}: ${error.message}`], [12, message]);
          return true;
        },
      );
    });
  }
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTimeZone, isTimeZone } from '#core/values/time-zone.js';
import { refused } from '../../support/core/refused.js';

describe('A time zone', () => {
  test('is an IANA name, in any case', () => {
    for (const name of ['Europe/Berlin', 'europe/berlin', 'UTC', 'Etc/GMT+5', 'America/Port-au-Prince'])
      assert.equal(isTimeZone(name), true, name);
  });

  test('is neither an offset nor any other text', () => {
    for (const name of [
      '+02:00',
      '-0200',
      '',
      ' UTC',
      'UTC ',
      'UTC\0',
      'Europe',
      '../etc',
      '1UTC',
      null,
      undefined,
      5,
    ])
      assert.equal(isTimeZone(name), false, String(name));
  });

  test('is not an offset either where the runtime knows offsets, as newer ones do', ({ mock }) => {
    mock.method(Intl, 'DateTimeFormat', class {});
    for (const name of ['+02:00', '-0200']) assert.equal(isTimeZone(name), false, name);
  });

  test('is not one of the short names that only the formats of the runtime know', () => {
    // Intl.DateTimeFormat accepts them all, and Temporal none.
    const names =
      'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST';
    for (const name of [...names.split(' '), 'pst']) {
      assert.equal(isTimeZone(name), false, name);
      assert.throws(() => checkTimeZone(name), { code: 'invalid-request' }, name);
    }
    for (const name of ['GMT', 'CET', 'EST', 'EST5EDT']) assert.equal(isTimeZone(name), true, name);
  });

  test('is every name that the runtime lists', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) assert.equal(checkTimeZone(name), name);
  });

  test('is spelled like in the database, each time', () => {
    for (const name of ['europe/berlin', 'europe/berlin', 'Europe/Berlin', 'EUROPE/BERLIN'])
      assert.equal(checkTimeZone(name), 'Europe/Berlin');
  });

  test('is refused with an example, each time', () => {
    for (const name of ['+02:00', '+02:00', 'Europe/Nowhere'])
      assert.throws(
        () => checkTimeZone(name),
        refused('invalid-request', 'timeZone must be an IANA time zone such as Europe/Berlin or UTC'),
      );
  });
});

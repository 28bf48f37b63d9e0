import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseColumns, exportColumns } from '@rollcall/core/rules';

describe('The columns of the export', () => {
  test('a duplicate column appears once, at its first position', () => {
    const keys = chooseColumns(['status', 'name', 'status']).map(({ key }) => key);
    assert.deepEqual(keys, ['status', 'name']);
  });

  test('only the exact key of a column is one', () => {
    for (const key of ['attendees', 'NAME', '__proto__', 'constructor', 'name ', 'ID'])
      assert.throws(() => chooseColumns(['name', key]), /is not one of name, /, key);
  });

  test('a refusal quotes the first 60 characters of an unknown column', () => {
    const message = (key: string) => {
      try {
        return String(chooseColumns([key]).length);
      } catch (error) {
        return String(error);
      }
    };
    const long = `"a${'x'.repeat(58)}`;
    assert.match(message(long), /^Refusal: columns: "\\"ax{58}" is not one of name, /);
    assert.match(message(`${long}y`), /^Refusal: columns: "\\"ax{58}…" is not one of name, /);
  });

  test('the columns are those of the specification, in its order, and two more', () => {
    assert.deepEqual(
      exportColumns.slice(18).map(({ key }) => key),
      ['id', 'updated_at'],
    );
    assert.deepEqual(
      exportColumns.filter(({ key, as }) => key !== as).map(({ key, as }) => [key, as]),
      [['group_leader_id', 'group_leader']],
    );
  });
});

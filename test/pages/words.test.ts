import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { createProgram } from '#app/program.js';
import { helpTexts } from '#test/support/command-names.js';
import { plainText, readableText } from '#test/support/page/client.js';
import { startViews } from '#test/support/page/views.js';
import { avoidedIn, avoidedWords } from '#test/support/words.js';

/** Texts of attributes that people read or hear. */
const SPOKEN = / (?:alt|aria-label|placeholder|title|content)="([^"]*)"/g;

/** One text for each word to avoid. */
const planted: readonly string[] = [
  'Whoever has lost it needs a new one.',
  'This is somebody’s key.',
  'Nobody sees but you.',
  'So many at a time:',
  'Two, of which one is yours',
  'Wait till tomorrow.',
  'Mend your receiver.',
  'Look whether it works.',
  'x is no field of the kind organization',
  '1.2.3.4 is no address of this machine',
  'Have the place at hand',
  'Learn it by heart.',
  'A range of one’s own',
  'Everything that there is',
  'What waits is sent later.',
  'It can not be written.',
  'Your e-mail address',
  'With them a program reaches the interface.',
  'Choose one whose clocks show what yours show',
  'The zone of this service',
  'We tell a program when somebody registers',
  'How far it came',
  'Body, for reading',
  'with all between it and yours',
  'It is sent again now',
  'pass its URL on to whom you invite',
  'Lines that can’t be read stop no other',
  'Email address must be an email address',
  'At once they are signed out',
  'Tick the usual ones',
  'With both, only what begins between them',
  'Everything that Service answers to programs',
  'as anything but an owner you can’t come back',
  'There is no such delivery.',
  '1 records in 0.21 s',
  'id must be integer',
  'field deleted: still has meeting 5',
  'must be a whole number such as 1',
  'without it the database is of little use',
  'The webhook keeps failing',
  'signed with the secret of then',
  'all, which is meant where it is left out',
  'packed on its way',
  'URL is required when webhook.enabled is true',
];

describe('The words', () => {
  test('to avoid are found in texts that have them', () => {
    const missed = planted.filter((text) => avoidedIn(text).length === 0);
    assert.deepEqual(missed, []);
    const unplanted = avoidedWords.filter(({ word }) => !planted.some((text) => word.test(text)));
    assert.deepEqual(unplanted, []);
    assert.deepEqual(avoidedIn('Until then, check that it cannot fail: the fields are ready.'), []);
  });

  test('of every page and of the guide are those that people say', async (t) => {
    const { views } = await startViews(t);
    const mistakes = views.flatMap(({ name, answer: { text } }) => {
      const spoken = [...text.matchAll(SPOKEN)].map(([, value = '']) => plainText(value));
      return [readableText(text), ...spoken].flatMap(avoidedIn).map((mistake) => `${name}: ${mistake}`);
    });
    assert.deepEqual(mistakes, []);
  });

  test('of openapi.json are those that people say', () => {
    const texts = textsIn(openapi());
    assert.ok(texts.length > 500, `${texts.length} texts`);
    assert.deepEqual(texts.flatMap(avoidedIn), []);
  });

  test('of the help of every command are those that people say', () => {
    const texts = helpTexts(createProgram());
    assert.ok(texts.length > 25, `${texts.length} texts`);
    assert.deepEqual(texts.flatMap(avoidedIn), []);
  });
});

/** Every text in the document, also those of examples. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

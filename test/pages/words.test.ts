import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { createProgram } from '#app/program.js';
import { helpTexts } from '#test/support/command-names.js';
import { plainText, readableText } from '#test/support/page/client.js';
import { startViews } from '#test/support/page/views.js';

/**
 * Words that nobody says to a colleague, by what to say instead. Each was once on a page, in the API's description or in
 * the help of a command.
 */
const avoidedWords: readonly { readonly word: RegExp; readonly better: string }[] = [
  { word: /\bwhoever\b/i, better: 'who, or anyone who' },
  { word: /\bsomebody['’]s\b/i, better: 'someone’s' },
  { word: /\bnobody \S+ but\b/i, better: 'only' },
  { word: /\bso many\b/i, better: 'the number' },
  { word: /\bof which\b/i, better: 'another sentence' },
  { word: /\btill\b/i, better: 'until' },
  { word: /\bmend\b/i, better: 'fix' },
  { word: /\blook (whether|who|if)\b/i, better: 'check that' },
  { word: /\b(is|are) no fields?\b/i, better: 'is not a field' },
  { word: /\bis no address\b/i, better: 'is not an address' },
  { word: /\bat hand\b/i, better: 'ready' },
  { word: /\bby heart\b/i, better: 'know' },
  { word: /\bone['’]s own\b/i, better: 'your' },
  { word: /\bthat there (is|are)\b/i, better: 'a shorter clause' },
  { word: /\bwhat (waits|failed|follows) (is|was|since)\b/i, better: 'the name of the thing' },
  { word: /\bcan not\b/i, better: 'cannot' },
  { word: /\be-mails?\b/i, better: 'email' },
  { word: /\breaches the interface\b/i, better: 'calls the API' },
  { word: /\bchoose one whose\b/i, better: 'choose your city or one in the same time zone' },
  { word: /\bthe zone of this service\b/i, better: 'Default (UTC)' },
  { word: /\bwe tell a program\b/i, better: 'get notified when' },
  { word: /\bhow far it came\b/i, better: 'stage reached' },
  { word: /\bfor reading\b/i, better: 'formatted' },
  { word: /\bwith all between\b/i, better: 'including intermediate certificates' },
  { word: /\bis sent again now\b/i, better: 'Resending…' },
  { word: /\bon to whom\b/i, better: 'send them this link yourself' },
  { word: /\bstop no other\b/i, better: 'invalid lines are skipped' },
  { word: /\bemail address must be an\b/i, better: 'Enter a valid email address' },
  { word: /\bat once they are\b/i, better: 'they’re … at once' },
  { word: /\btick the usual\b/i, better: 'Reset to defaults' },
  { word: /\bonly what begins between\b/i, better: 'limit to this period' },
  { word: /\banswers to programs\b/i, better: 'every API endpoint' },
  { word: /\bas anything but\b/i, better: 'you will lose access to this page' },
  { word: /\bthere is no such delivery\b/i, better: 'No deliveries yet' },
  { word: /\b1 (records|people|events|invitations|meetings|deliveries|hours|days)\b/, better: '1 record' },
  { word: /\bmust be integer\b/i, better: 'must be an integer' },
  { word: /\bstill has meeting\b/i, better: 'meeting 5 still refers to it' },
  { word: /\bwhole number such as\b/i, better: 'must be at least 1' },
  { word: /\bof little use\b/i, better: 'what cannot be done' },
  { word: /\bthe webhook keeps failing\b/i, better: 'a delivery failed' },
  { word: /\bsecret of then\b/i, better: 'secret current at that time' },
  { word: /\bwhere it is left out\b/i, better: 'the default' },
  { word: /\bpacked on its way\b/i, better: 'compressed' },
  { word: /\bis required when\b/i, better: 'Enter a URL' },
];

/** What to avoid in the text, each with the words around it. */
function avoidedIn(text: string): readonly string[] {
  return avoidedWords.flatMap(({ word, better }) => {
    const found = word.exec(text);
    if (found === null) return [];
    const { index } = found;
    const around = text.slice(Math.max(0, index - 40), index + found[0].length + 40);
    return [`“${found[0]}” instead of “${better}” in “${around.replaceAll(/\s+/g, ' ')}”`];
  });
}

/** Texts of attributes that people read or hear. */
const SPOKEN = / (?:alt|aria-label|placeholder|title|content)="([^"]*)"/g;

/** The parts of a URL are one word. */
const URL_PARTS = /<span class="url">(?:<span>[^<]*<\/span>)*<\/span>/g;

/** The end of words beside the beginning of others. */
const GLUED =
  /(?<=[^\s>])<\/(?:a|bdi|time|span|code|strong)>(?=<(?:a|bdi|time|span|code|strong)\b[^>]*>[^\s<])/g;

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

  test('of neighbors are apart also where there are no styles, as in a text browser', async (t) => {
    const { views } = await startViews(t);
    const gluedIn = (html: string) =>
      [...html.replaceAll(URL_PARTS, '').matchAll(GLUED)].map(({ index }) =>
        plainText(html.slice(index - 60, index + 60)),
      );
    assert.deepEqual(
      views.flatMap(({ name, answer: { text } }) => gluedIn(text).map((found) => `${name}: ${found}`)),
      [],
    );
    const planted = ['<a href="/">My meetings</a><a href="/">Meetings</a>', '<span>204</span><bdi>2</bdi>'];
    assert.deepEqual(
      planted.map((html) => gluedIn(html).length),
      [1, 1],
    );
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

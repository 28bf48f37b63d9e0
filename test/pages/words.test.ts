import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { createProgram } from '#app/program.js';
import { helpTexts } from '#test/support/command-names.js';
import { plainText, readableText } from '#test/support/page/client.js';
import { startViews } from '#test/support/page/views.js';

/**
 * Words that nobody says to a colleague, what to say instead, and a text that has them. Each was once on a page, in the
 * API's description or in the help of a command.
 */
const avoidedWords: readonly (readonly [word: RegExp, better: string, example: string])[] = [
  [/\bwhoever\b/i, 'who, or anyone who', 'Whoever has lost it needs a new one.'],
  [/\bsomebody['’]s\b/i, 'someone’s', 'This is somebody’s key.'],
  [/\bnobody \S+ but\b/i, 'only', 'Nobody sees but you.'],
  [/\bso many\b/i, 'the number', 'So many at a time:'],
  [/\bof which\b/i, 'another sentence', 'Two, of which one is yours'],
  [/\btill\b/i, 'until', 'Wait till tomorrow.'],
  [/\bmend\b/i, 'fix', 'Mend your receiver.'],
  [/\blook (whether|who|if)\b/i, 'check that', 'Look whether it works.'],
  [/\b(is|are) no fields?\b/i, 'is not a field', 'x is no field of the kind organization'],
  [/\bis no address\b/i, 'is not an address', '1.2.3.4 is no address of this machine'],
  [/\bat hand\b/i, 'ready', 'Have the place at hand'],
  [/\bby heart\b/i, 'know', 'Learn it by heart.'],
  [/\bone['’]s own\b/i, 'your', 'A range of one’s own'],
  [/\bthat there (is|are)\b/i, 'a shorter clause', 'Everything that there is'],
  [/\bwhat (waits|failed|follows) (is|was|since)\b/i, 'the name of the thing', 'What waits is sent later.'],
  [/\bcan not\b/i, 'cannot', 'It can not be written.'],
  [/\be-mails?\b/i, 'email', 'Your e-mail address'],
  [/\breaches the interface\b/i, 'calls the API', 'With them a program reaches the interface.'],
  [/\bchoose one whose\b/i, 'choose your city or one in the same time zone', 'Choose one whose clocks agree'],
  [/\bthe zone of this service\b/i, 'Default (UTC)', 'The zone of this service'],
  [/\bwe tell a program\b/i, 'get notified when', 'We tell a program when somebody registers'],
  [/\bhow far it came\b/i, 'stage reached', 'How far it came'],
  [/\bfor reading\b/i, 'formatted', 'Body, for reading'],
  [/\bwith all between\b/i, 'including intermediate certificates', 'with all between it and yours'],
  [/\bis sent again now\b/i, 'Resending…', 'It is sent again now'],
  [/\bon to whom\b/i, 'send them this link yourself', 'pass its URL on to whom you invite'],
  [/\bstop no other\b/i, 'invalid lines are skipped', 'Lines that can’t be read stop no other'],
  [/\bemail address must be an\b/i, 'Enter a valid email address', 'Email address must be an email address'],
  [/\bat once they are\b/i, 'they’re … at once', 'At once they are signed out'],
  [/\btick the usual\b/i, 'Reset to defaults', 'Tick the usual ones'],
  [/\bonly what begins between\b/i, 'limit to this period', 'With both, only what begins between them'],
  [/\banswers to programs\b/i, 'every API endpoint', 'Everything that Service answers to programs'],
  [/\bas anything but\b/i, 'you will lose access to this page', 'as anything but an owner'],
  [/\bthere is no such delivery\b/i, 'No deliveries yet', 'There is no such delivery.'],
  [/\b1 (records|people|events|invitations|meetings|deliveries|hours|days)\b/, '1 record', '1 records'],
  [/\bmust be integer\b/i, 'must be an integer', 'id must be integer'],
  [/\bstill has meeting\b/i, 'meeting 5 still refers to it', 'field deleted: still has meeting 5'],
  [/\bwhole number such as\b/i, 'must be at least 1', 'must be a whole number such as 1'],
  [/\bof little use\b/i, 'what cannot be done', 'without it the database is of little use'],
  [/\bthe webhook keeps failing\b/i, 'a delivery failed', 'The webhook keeps failing'],
  [/\bsecret of then\b/i, 'secret current at that time', 'signed with the secret of then'],
  [/\bwhere it is left out\b/i, 'the default', 'all, which is meant where it is left out'],
  [/\bpacked on its way\b/i, 'compressed', 'packed on its way'],
  [/\bis required when\b/i, 'Enter a URL', 'URL is required when webhook.enabled is true'],
];

/** What to avoid in the text, each with the words around it. */
function avoidedIn(text: string): readonly string[] {
  return avoidedWords.flatMap(([word, better]) => {
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

describe('The words', () => {
  test('to avoid are found in texts that have them', () => {
    const missed = avoidedWords.filter(([, better, text]) => !avoidedIn(text).join().includes(`“${better}”`));
    assert.deepEqual(missed, []);
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

import { anOrganization } from '../dataset.js';
import { atOnce, type ContractTest, each, expectEqual } from '../expect.js';
import { later, minutes, noon } from '../noon.js';
import { recordingJournal } from '../recording-journal.js';
import { type StartStorage, storageTests } from '../start-storage.js';

const first = { hash: 'first', organizationId: 1, createdAt: noon, keepOldUntil: null };
const second = { hash: 'second', organizationId: 1, createdAt: later, keepOldUntil: minutes(60) };
const third = { hash: 'third', organizationId: 1, createdAt: minutes(10), keepOldUntil: minutes(90) };

/** The promises of `DirectoryTokens`. */
export function directoryTokensSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'DirectoryTokens', (storage) =>
    storage.load({ organizations: [anOrganization(1), anOrganization(2)] }),
  );
  return [
    test('a token is found by its hash and by its own organization', async ({ directoryTokens }) => {
      expectEqual([await directoryTokens.byHash('first'), await directoryTokens.of(1)], [null, []]);
      const { seen, journal } = recordingJournal();
      expectEqual(await directoryTokens.add(first, journal), 'added');
      const token = { hash: 'first', organizationId: 1, createdAt: noon, usedAt: null, endsAt: null };
      expectEqual(await directoryTokens.byHash('first'), token);
      expectEqual([await directoryTokens.of(1), await directoryTokens.of(2)], [[token], []]);
      expectEqual(await directoryTokens.byHash('First'), null);
      expectEqual(seen, [{ isFirst: true }]);
    }),

    test('the token before works until its end, and an older one has ended', async ({ directoryTokens }) => {
      await directoryTokens.add({ ...first, organizationId: 2, hash: 'elsewhere' });
      await directoryTokens.add(first);
      const { seen, journal } = recordingJournal();
      await directoryTokens.add(second, journal);
      const ends = async () => (await directoryTokens.of(1)).map(({ hash, endsAt }) => [hash, endsAt]);
      expectEqual(await ends(), [
        ['second', null],
        ['first', minutes(60)],
      ]);
      await directoryTokens.add(third);
      expectEqual(await ends(), [
        ['third', null],
        ['second', minutes(90)],
      ]);
      expectEqual(await directoryTokens.byHash('first'), null);
      await directoryTokens.add({ ...first, hash: 'fourth' });
      expectEqual(await ends(), [['fourth', null]]);
      expectEqual(each(await directoryTokens.of(2), 'hash'), ['elsewhere']);
      expectEqual(seen, [{ isFirst: false }]);
    }),

    test('only the token that the caller has seen is replaced', async ({ directoryTokens }) => {
      const { seen, journal } = recordingJournal();
      expectEqual(await directoryTokens.add({ ...first, replaces: noon }, journal), 'outdated');
      expectEqual(await directoryTokens.add({ ...first, replaces: null }), 'added');
      expectEqual(await directoryTokens.add({ ...second, replaces: null }, journal), 'outdated');
      expectEqual(await directoryTokens.add({ ...second, replaces: later }, journal), 'outdated');
      expectEqual([each(await directoryTokens.of(1), 'hash'), seen], [['first'], []]);
      expectEqual(await directoryTokens.add({ ...second, replaces: noon }), 'added');
    }),

    test('of 20 callers that replace one token, one succeeds', async ({ directoryTokens }) => {
      await directoryTokens.add(first);
      const answers = await atOnce(20, (index) =>
        directoryTokens.add({ ...second, hash: `${index}`, replaces: noon }),
      );
      expectEqual([...answers].sort(), ['added', ...Array(19).fill('outdated')]);
      expectEqual((await directoryTokens.of(1)).length, 2);
    }),

    test('of 20 tokens at once, two are left and one is current', async ({ directoryTokens }) => {
      await atOnce(20, (index) => directoryTokens.add({ ...second, hash: `${index}` }));
      const ends = (await directoryTokens.of(1)).map(({ endsAt }) => endsAt);
      expectEqual(ends, [null, minutes(60)]);
    }),

    test('an unknown organization gets no token', async ({ directoryTokens }) => {
      const { seen, journal } = recordingJournal();
      expectEqual(
        await directoryTokens.add({ ...first, organizationId: 99 }, journal),
        'unknown-organization',
      );
      expectEqual(await directoryTokens.byHash('first'), null);
      expectEqual(seen.length <= 1, true);
    }),

    test('the use of a token moves forward only, and brings no ended token back', async (storage) => {
      const { directoryTokens } = storage;
      await directoryTokens.add(first);
      const used = async () => (await directoryTokens.byHash('first'))?.usedAt;
      await directoryTokens.touch({ hash: 'first', at: later });
      expectEqual(await used(), later);
      await directoryTokens.touch({ hash: 'first', at: noon });
      expectEqual(await used(), later);
      await directoryTokens.end({ organizationId: 1, isOld: false });
      await directoryTokens.touch({ hash: 'first', at: minutes(20) });
      expectEqual(await directoryTokens.byHash('first'), null);
    }),

    test('the one before ends alone, or all end, once and in this organization', async (storage) => {
      const { directoryTokens } = storage;
      await directoryTokens.add({ ...first, organizationId: 2, hash: 'elsewhere' });
      await directoryTokens.add(first);
      const { seen, journal } = recordingJournal<readonly { readonly hash: string }[]>();
      const end = (isOld: boolean) => directoryTokens.end({ organizationId: 1, isOld }, journal);
      expectEqual(await end(true), false);
      await directoryTokens.add(second);
      expectEqual([await end(true), await end(true)], [true, false]);
      expectEqual(each(await directoryTokens.of(1), 'hash'), ['second']);
      await directoryTokens.add(third);
      const answers = await atOnce(20, () => end(false));
      expectEqual(answers.filter((isEnded) => isEnded).length, 1);
      expectEqual([await directoryTokens.of(1), (await directoryTokens.of(2)).length], [[], 1]);
      expectEqual(
        seen.map((tokens) => tokens.map(({ hash }) => hash).sort()),
        [['first'], ['second', 'third']],
      );
    }),
  ];
}

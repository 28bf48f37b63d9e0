import { Fragment } from 'preact';
import type { Page } from '../page.js';
import { paths, withQuery } from '../paths.js';
import { AllParts, type ContentsEntry, chosenLanguage, docsPage } from './docs-frame.js';
import { FirstCommands, type GuidePage, GuideText, guidePages } from './guide-text.js';
import { type ReaderValues, readerValues } from './reader-values.js';

/** How to use the API: a page with the contents, and the pages of `guide.md`. A test runs every command and program. */
export const guide: readonly Page[] = [
  docsPage(paths.guide, async (visit) => {
    const contents = contentsFor(await readerValues(visit));
    return {
      kind: 'guide',
      title: 'Guide',
      contents,
      body: (
        <>
          <p>How to use the API, step by step. Begin with the first page, or go to what you need.</p>
          <AllParts contents={contents} />
        </>
      ),
    };
  }),
  ...guidePages.map(guidePage),
];

function guidePage(page: GuidePage, index: number): Page {
  return docsPage(paths.guidePage(page.name), async (visit) => {
    const values = await readerValues(visit);
    const contents = contentsFor(values);
    const next = contents[index + 1];
    const { organization, accessKey } = values;
    const given = {
      ...{ visit, language: chosenLanguage(visit), query: queryFor(values) },
      values: { url: visit.address.url, organization, access_key: accessKey },
    };
    return {
      kind: 'guide',
      title: page.title,
      contents,
      body: (
        <>
          {page.hasCommands && (
            <>
              <p>Run the commands in one shell, in this order.</p>
              <Values {...values} path={visit.request.path} />
              {index > 0 && <FirstCommands values={given.values} />}
            </>
          )}
          <GuideText {...given} text={page.text} />
          {page.sections.map(({ id, title, text }) => (
            <section key={id} aria-labelledby={id}>
              <h2 id={id}>
                <a href={`#${id}`}>{title}</a>
              </h2>
              <GuideText {...given} text={text} />
            </section>
          ))}
          {next !== undefined && (
            <p>
              Next: <a href={next.path}>{next.title}</a>
            </p>
          )}
        </>
      ),
    };
  });
}

/** Keeps the organization that the reader has chosen. */
function queryFor({ chosen }: ReaderValues): Readonly<Record<string, string>> {
  return chosen === null ? {} : { organization: String(chosen) };
}

function contentsFor(values: ReaderValues): readonly ContentsEntry[] {
  return guidePages.map(({ name, title, sections }) => ({
    path: withQuery(paths.guidePage(name), queryFor(values)),
    ...{ name, title },
    parts: sections,
  }));
}

/** Tells whose values the commands have, and what the reader has to fill in. */
function Values({ own, others, isComplete, isReplaced, path }: ReaderValues & { readonly path: string }) {
  if (own === null)
    return isReplaced ? (
      <p>
        They are for the demo, whose access key was replaced: put the new one into the third line. To use your
        own organization, change the first three lines.
      </p>
    ) : isComplete ? (
      <p>They work with the demo as they are. To use your own organization, change the first three lines.</p>
    ) : (
      <p>
        Fill in your organization’s number and access key first. If you are an owner or admin,{' '}
        <a href={withQuery(paths.signIn, { next: path })}>sign in</a> to see your number here.
      </p>
    );
  return (
    <>
      <p>
        They are for{' '}
        <strong>
          <bdi>{own.name}</bdi>
        </strong>
        , organization {own.id}.{' '}
        {isComplete
          ? 'They work as they are.'
          : isReplaced
            ? 'The demo’s access key was replaced: put the new one into the third line.'
            : 'Fill in your access key first.'}
      </p>
      {others.length > 0 && (
        <p>
          Show them for{' '}
          {others.map(({ id, name }, index) => (
            <Fragment key={id}>
              {index === 0 ? '' : index === others.length - 1 ? ' or ' : ', '}
              <a href={withQuery(path, { organization: String(id) })}>
                <bdi>{name}</bdi>
              </a>
            </Fragment>
          ))}
          .
        </p>
      )}
    </>
  );
}

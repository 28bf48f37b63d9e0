import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { DataTable } from '../design/components.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { Visit } from '../visit.js';
import { type ApiFacts, madeOnce } from './api-facts.js';
import { AllParts, type ContentsEntry, chosenLanguage, docsPage } from './docs-frame.js';
import type { Operation } from './read-operations.js';
import { ownValues, readerValues } from './reader-values.js';
import { Call, Markdown, Method } from './reference-call.js';
import { languages } from './samples.js';

/** The tags of the OpenAPI document with a page of their own. The first page has the others. */
const groups = ['Users', 'Invitations', 'Meetings', 'Webhook', 'Events'] as const;

/** Every operation with its parameters, body and answers, made from the OpenAPI document: a page for each group. */
export const reference: readonly Page[] = [
  docsPage(paths.docs, (visit) => {
    const facts = visit.facts();
    const contents = contentsOf(facts);
    return {
      kind: 'reference',
      title: 'API reference',
      contents,
      body: (
        <>
          <p>
            {`Every API endpoint of ${visit.serviceName}, also as an OpenAPI 3.1 document: `}
            <a href="/openapi.json">openapi.json</a>. In the samples, <code>TOKEN</code> is the token that you
            get for your access key.
          </p>
          <Calls visit={visit} group="Access" />
          <AllParts contents={contents.slice(1)} />
          <Errors {...facts} />
          <OtherEndpoints {...facts} />
        </>
      ),
    };
  }),
  ...groups.map((group) =>
    docsPage(pathOf(group), async (visit) => {
      const { accessKey, isComplete } = await readerValues(visit);
      const own = await ownValues(visit);
      return {
        kind: 'reference',
        title: group,
        contents: contentsOf(visit.facts()),
        body: (
          <div data-own={own && JSON.stringify(own)} data-access-key={isComplete ? accessKey : ''}>
            <Calls visit={visit} group={group} />
          </div>
        ),
      };
    }),
  ),
];

function pathOf(group: string): string {
  return paths.docsGroup(group.toLowerCase());
}

/** Another way to make a call, and what is for those who run the service. */
function isMinor({ summary, tag }: Operation): boolean {
  return tag === 'Operation' || /\((?:alternative path|POST)\)$/.test(summary);
}

function callsOf(operations: readonly Operation[], group: string): readonly Operation[] {
  return operations.filter((operation) => operation.tag === group && !isMinor(operation));
}

function contentsOf({ operations }: ApiFacts): readonly ContentsEntry[] {
  const titled = (group: string) =>
    callsOf(operations, group).map(({ id, summary, method, path }) => ({
      ...{ id, title: summary },
      note: `${method} ${path}`,
    }));
  return [
    {
      path: paths.docs,
      name: 'access',
      title: 'Overview',
      parts: [
        ...titled('Access'),
        { id: 'errors', title: 'Errors' },
        { id: 'operation', title: 'Other endpoints' },
      ],
    },
    ...groups.map((group) => ({
      ...{ path: pathOf(group), name: group.toLowerCase(), title: group },
      parts: titled(group),
    })),
  ];
}

const renderedOnce = madeOnce<string>();

/** The calls of a group, as every reader gets them, with samples in a language. */
function Calls({ visit, group }: { readonly visit: Visit; readonly group: string }) {
  const api = `${visit.address.url}/api/v2`;
  const facts = visit.facts();
  const chosen = chosenLanguage(visit);
  const language = languages.find(({ id }) => id === chosen)?.id ?? languages[0].id;
  const html = renderedOnce(facts, `${group} ${language}`, () =>
    callsOf(facts.operations, group)
      .map((operation) => renderToString(<Call {...{ operation, api, language }} />))
      .join(''),
  );
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
}

/** A sentence of the OpenAPI document, with code between backquotes. */
function withCode(sentence: string): ComponentChildren {
  return sentence.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}

function Errors({ errors }: Pick<ApiFacts, 'errors'>) {
  return (
    <section aria-labelledby="errors">
      <h2 id="errors">Errors</h2>
      <p>
        Every error has the header <code>X-Error-Code</code> with one of these codes. The texts in its body
        are for people and may change.
      </p>
      <DataTable
        caption="The error codes"
        rows={errors}
        columns={[
          { title: 'Code', cell: ({ code }) => <code id={`error-${code}`}>{code}</code> },
          { title: 'Status', cell: ({ status }) => status, isShort: true },
          { title: 'Meaning', cell: ({ meaning }) => <div>{withCode(meaning)}</div> },
          { title: 'What to do', cell: ({ advice }) => <div>{withCode(advice)}</div> },
        ]}
      />
    </section>
  );
}

function OtherEndpoints({ operations }: Pick<ApiFacts, 'operations'>) {
  return (
    <section aria-labelledby="operation">
      <h2 id="operation">Other endpoints</h2>
      <dl class="fields">
        {operations.filter(isMinor).map(({ id, method, path, description }) => (
          <div key={id}>
            <dt id={id}>
              <Method method={method} /> <code>{path}</code>
            </dt>
            <dd>
              <Markdown text={description} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { DataTable } from '../design/components.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { Visit } from '../visit.js';
import type { ApiFacts, ErrorFact } from './api-facts.js';
import { AllParts, type ContentsEntry, showDocs } from './docs-frame.js';
import { chosenLanguage } from './languages.js';
import type { Operation } from './read-operations.js';
import { ownValues, readerValues } from './reader-values.js';
import { Call, Markdown, Method } from './reference-call.js';
import { languages } from './samples.js';

/** The tags of the OpenAPI document with a page of their own. The first page has the others. */
const groups = ['Users', 'Invitations', 'Meetings', 'Webhook', 'Events'] as const;

/** Every operation with its parameters, body and answers, made from the OpenAPI document: a page for each group. */
export const reference: readonly Page[] = [
  {
    path: paths.docs,
    kind: 'guide',
    async get(visit) {
      const { serviceName } = visit;
      const facts = visit.facts();
      const contents = contentsOf(facts);
      await showDocs(visit, {
        kind: 'reference',
        title: 'API reference',
        contents,
        body: (
          <>
            <p>
              {`Every API endpoint of ${serviceName}, also as an OpenAPI 3.1 document: `}
              <a href="/openapi.json">openapi.json</a>. In the samples, <code>TOKEN</code> is the token that
              you get for your access key.
            </p>
            <Calls visit={visit} group="Access" />
            <AllParts contents={contents.slice(1)} />
            <Errors errors={facts.errors} />
            <OtherEndpoints operations={facts.operations} />
          </>
        ),
      });
    },
  },
  ...groups.map(
    (group): Page => ({
      path: pathOf(group),
      kind: 'guide',
      async get(visit) {
        const { accessKey, isComplete } = await readerValues(visit);
        const own = await ownValues(visit);
        await showDocs(visit, {
          kind: 'reference',
          title: group,
          contents: contentsOf(visit.facts()),
          body: (
            <div data-own={own && JSON.stringify(own)} data-access-key={isComplete ? accessKey : ''}>
              <Calls visit={visit} group={group} />
            </div>
          ),
        });
      },
    }),
  ),
];

/** Also the anchor of the group on the first page. */
function nameOf(group: string): string {
  return group.toLowerCase();
}

function pathOf(group: string): string {
  return paths.docsGroup(nameOf(group));
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
      ...{ path: pathOf(group), name: nameOf(group), title: group },
      parts: titled(group),
    })),
  ];
}

/** By the facts of one service, whose address stays the same: the calls of a group with samples in a language. */
const rendered = new WeakMap<ApiFacts, Map<string, string>>();

/** The calls of a group, as every reader gets them. Rendering them takes long, so it is done once. */
function Calls({ visit, group }: { readonly visit: Visit; readonly group: string }) {
  const { address } = visit;
  const facts = visit.facts();
  const chosen = chosenLanguage(visit);
  const language = languages.find(({ id }) => id === chosen)?.id ?? languages[0].id;
  const known = rendered.get(facts) ?? new Map<string, string>();
  rendered.set(facts, known);
  const key = `${group} ${language}`;
  const html =
    known.get(key) ??
    callsOf(facts.operations, group)
      .map((operation) =>
        renderToString(<Call operation={operation} api={`${address.url}/api/v2`} language={language} />),
      )
      .join('');
  known.set(key, html);
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
}

/** A sentence of the OpenAPI document, with code between backquotes. */
function withCode(sentence: string): ComponentChildren {
  return sentence.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}

function Errors({ errors }: { readonly errors: readonly ErrorFact[] }) {
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

/** Other ways to make a call, and what is for those who run the service. */
function OtherEndpoints({ operations }: { readonly operations: readonly Operation[] }) {
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

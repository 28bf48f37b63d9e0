import { parseCookie } from 'cookie';
import { marked } from 'marked';
import { type ComponentChildren, Fragment } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { frameOf } from '../access.js';
import { Badge, Button, CopyText, DataTable, Url } from '../design/components.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { ApiFacts, ErrorFact } from './api-facts.js';
import type { Answer, Example, Field, Operation, Parameter } from './read-operations.js';
import { exampleValues, isShown, type Language, languages, samplesOf, textsOf } from './samples.js';

/** Every operation with its parameters, body and answers, made from the OpenAPI document. */
export const reference: Page = {
  path: paths.docs,
  kind: 'guide',
  async get(visit) {
    const { assets, address, facts, request, serviceName } = visit;
    visit.frame = await frameOf(visit);
    const language = languageOf(parseCookie(request.get('cookie') ?? '').sample_language);
    const api = `${address.url}/api/v2`;
    visit.show({
      title: 'API reference',
      body: (
        <div class="reference">
          <script type="module" src={assets.referenceScript} />
          <DocsNav current="reference" />
          <hgroup>
            <h1>API reference</h1>
            <p>
              {`Every API endpoint of ${serviceName}. Also as an OpenAPI 3.1 document: `}
              <a href="/openapi.json">openapi.json</a>
            </p>
            <p>
              In the samples, <code>TOKEN</code> is the token that you <a href="#authenticate">get</a> for
              your access key. Every call can also be answered with the common <a href="#errors">errors</a>.
            </p>
          </hgroup>
          <Index operations={facts.operations} />
          <Choices language={language} />
          <div dangerouslySetInnerHTML={{ __html: operationsOf(facts, api) }} />
        </div>
      ),
    });
  },
};

/** By the facts of one service, whose address stays the same. */
const rendered = new WeakMap<ApiFacts, string>();

/** The operations and the errors, as every reader gets them. Rendering them takes long, so it is done once. */
function operationsOf(facts: ApiFacts, api: string): string {
  const html = rendered.get(facts) ?? renderToString(<Operations facts={facts} api={api} />);
  rendered.set(facts, html);
  return html;
}

function Operations({ facts, api }: { readonly facts: ApiFacts; readonly api: string }) {
  return (
    <>
      {tagsOf(facts.operations).map((tag) => (
        <section key={tag} aria-labelledby={idOf(tag)}>
          <h2 id={idOf(tag)}>{tag}</h2>
          {facts.operations
            .filter((operation) => operation.tag === tag)
            .map((operation) => (
              <OperationPart key={operation.id} operation={operation} api={api} />
            ))}
        </section>
      ))}
      <Errors errors={facts.errors} />
    </>
  );
}

function languageOf(kept: string | undefined): Language {
  return languages.find(({ id }) => id === kept)?.id ?? 'curl';
}

function tagsOf(operations: readonly Operation[]): readonly string[] {
  return [...new Set(operations.map(({ tag }) => tag))];
}

/** The id of the section with the operations of the tag. */
function idOf(tag: string): string {
  return tag.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

/** What the index leaves out: another way to call an operation, and what is for those who run the service. */
function isMinor({ summary, tag }: Operation): boolean {
  return tag === 'Operation' || /\((?:alternative path|POST)\)$/.test(summary);
}

function Index({ operations }: { readonly operations: readonly Operation[] }) {
  return (
    <nav class="reference-index" aria-label="Operations">
      {tagsOf(operations).map((tag) => (
        <div key={tag}>
          <a href={`#${idOf(tag)}`}>{tag}</a>
          <ul>
            {operations
              .filter((operation) => operation.tag === tag && !isMinor(operation))
              .map(({ id, summary }) => (
                <li key={id}>
                  <a href={`#${id}`}>{summary}</a>
                </li>
              ))}
          </ul>
        </div>
      ))}
      <div>
        <a href="#errors">Errors</a>
      </div>
    </nav>
  );
}

/** The language of the samples, which needs no script, and the token of the requests that are tried. */
function Choices({ language }: { readonly language: Language }) {
  return (
    <>
      <fieldset class="sample-language">
        <legend>Samples in</legend>
        {languages.map(({ id, title }) => (
          <label key={id}>
            <input type="radio" name="language" id={`language-${id}`} value={id} checked={id === language} />
            {title}
          </label>
        ))}
      </fieldset>
      <label class="try-token" hidden>
        Token for the requests that you try here
        <input id="try-token" type="password" autocomplete="off" spellcheck={false} />
        <small>
          Send <a href="#authenticate">Get a token</a> first, or paste one. It is forgotten when you leave
          this page.
        </small>
      </label>
    </>
  );
}

interface OperationProps {
  readonly operation: Operation;
  /** The address of the API. */
  readonly api: string;
}

function OperationPart({ operation, api }: OperationProps) {
  const { id, method, path, summary, description, needsToken, parameters, body, answers } = operation;
  const samples = samplesOf(operation, api);
  return (
    <article class="operation" aria-labelledby={id}>
      <h3 id={id}>
        <a href={`#${id}`}>{summary}</a>
      </h3>
      <p class="operation-path">
        <Badge tone={method === 'GET' ? 'success' : method === 'DELETE' ? 'error' : 'pending'}>
          {method}
        </Badge>{' '}
        <code>
          <Url url={path} />
        </code>
      </p>
      <Markdown text={description} />
      {!needsToken && <p>Needs no token.</p>}
      {languages.map((language) => (
        <div key={language.id} class="sample" data-language={language.id}>
          <CopyText
            id={`${id}-${language.id}`}
            label={`${summary}, ${language.title}`}
            text={samples[language.id]}
            isLong
          />
        </div>
      ))}
      {parameters.length > 0 && <FieldTable title="Parameters" of={summary} fields={parameters} />}
      {body !== null && (
        <>
          <FieldTable title="Body" of={summary} fields={body.fields} />
          {body.mediaTypes.length > 1 && <p>Sent as {listed(body.mediaTypes)}.</p>}
          <Examples id={`${id}-body`} title="Body" examples={body.examples.slice(1)} />
        </>
      )}
      {answers.filter(isSuccess).map((answer) => (
        <AnswerPart key={answer.status} id={`${id}-${answer.status}`} of={summary} answer={answer} />
      ))}
      <ErrorAnswers answers={answers.filter((answer) => !isSuccess(answer) && !answer.isCommon)} />
      <Try operation={operation} />
    </article>
  );
}

function isSuccess({ status }: Answer): boolean {
  return status.startsWith('2');
}

/** The document's own Markdown, which holds no HTML of others. */
function Markdown({ text }: { readonly text: string }) {
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: marked.parse(text, { async: false }) }} />;
}

/** A sentence of the OpenAPI document, with code between backquotes. */
function withCode(sentence: string): ComponentChildren {
  return sentence.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}

function listed(values: readonly string[]): ComponentChildren {
  return values.flatMap((value, index) => [index === 0 ? '' : ', ', <code key={value}>{value}</code>]);
}

interface FieldTableProps {
  readonly title: string;
  /** The summary of the operation, for screen readers. */
  readonly of: string;
  readonly fields: readonly (Field & { readonly in?: Parameter['in'] })[];
}

function FieldTable({ title, of, fields }: FieldTableProps) {
  if (fields.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <DataTable
        caption={`${title}: ${of}`}
        keyOf={({ name }) => name}
        rows={fields}
        columns={[
          { title: 'Name', cell: ({ name }) => <code>{name}</code> },
          {
            title: 'Type',
            cell: (field) => (
              <>
                {field.type}
                {field.in !== undefined && <small>, in the {field.in}</small>}
                {field.isRequired && <small>, required</small>}
              </>
            ),
          },
          { title: 'Meaning', cell: ({ description }) => <Markdown text={description} /> },
        ]}
      />
    </>
  );
}

interface ExamplesProps {
  readonly id: string;
  readonly title: string;
  readonly examples: readonly Example[];
}

function Examples({ id, title, examples }: ExamplesProps) {
  return (
    <>
      {examples.map(({ summary, value }, index) => (
        <CopyText
          key={summary}
          id={`${id}-example-${index + 1}`}
          label={summary === '' ? title : `${title}: ${summary}`}
          text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
          isLong
        />
      ))}
    </>
  );
}

interface AnswerProps {
  readonly id: string;
  readonly of: string;
  readonly answer: Answer;
}

function AnswerPart({ id, of, answer }: AnswerProps) {
  const title = `Answer ${answer.status}`;
  return (
    <>
      <h4>{title}</h4>
      <Markdown text={answer.description} />
      <Examples id={id} title={title} examples={answer.examples} />
      {answer.fields.length > 0 && (
        <details>
          <summary>Every field of the answer</summary>
          <FieldTable title="Fields" of={of} fields={answer.fields} />
        </details>
      )}
    </>
  );
}

function ErrorAnswers({ answers }: { readonly answers: readonly Answer[] }) {
  if (answers.length === 0) return null;
  return (
    <>
      <h4>Errors of this call</h4>
      <ul class="error-answers">
        {answers.map(({ status, description }) => (
          <li key={status}>
            <b>{status}</b> <Markdown text={description} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A form for a request of the operation. Only the script shows it and sends it. */
function Try({ operation }: { readonly operation: Operation }) {
  const { id, method, path, needsToken, summary, parameters } = operation;
  const { body } = exampleValues(operation);
  return (
    <details class="try" hidden>
      <summary>
        Try it<span class="visually-hidden">: {summary}</span>
      </summary>
      <form
        data-try={method}
        data-path={path}
        data-needs-token={needsToken ? '' : undefined}
        data-operation={id}
      >
        {parameters.map((parameter) => (
          <label key={parameter.name}>
            {parameter.name}
            {parameter.isRequired ? '' : ' (optional)'}
            <input
              name={parameter.name}
              data-in={parameter.in}
              required={parameter.isRequired}
              value={isShown(operation, parameter) ? textsOf(parameter).join(',') : ''}
              placeholder={textsOf(parameter).join(', ')}
              autocomplete="off"
              spellcheck={false}
            />
          </label>
        ))}
        {body !== null && (
          <label>
            Body
            <textarea name="body" rows={6} spellcheck={false}>
              {JSON.stringify(body, null, 2)}
            </textarea>
          </label>
        )}
        <div class="actions">
          <Button kind="secondary">Send</Button>
        </div>
        <output />
      </form>
    </details>
  );
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
        keyOf={({ code }) => code}
        rows={errors}
        columns={[
          { title: 'Code', cell: ({ code }) => <code>{code}</code> },
          { title: 'Status', cell: ({ status }) => status, isShort: true },
          { title: 'Meaning', cell: ({ meaning }) => withCode(meaning) },
          { title: 'What to do', cell: ({ advice }) => withCode(advice) },
        ]}
      />
    </section>
  );
}

/** Links between the two pages of the docs, and to the dashboard. */
export function DocsNav({ current }: { readonly current: 'reference' | 'guide' }) {
  const pages = [
    { name: 'reference', title: 'Reference', href: '/docs' },
    { name: 'guide', title: 'Guide', href: '/docs/guide' },
  ];
  return (
    <nav class="docs-nav" aria-label="Documentation">
      {pages.map(({ name, title, href }) => (
        <Fragment key={name}>
          <a href={href} {...(name === current && { 'aria-current': 'page' as const })}>
            {title}
          </a>{' '}
        </Fragment>
      ))}
      <a class="dashboard-link" href="/">
        Dashboard
      </a>
    </nav>
  );
}

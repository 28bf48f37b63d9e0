import { marked } from 'marked';
import type { ComponentChildren } from 'preact';
import { Badge, Button, CopyText, Url } from '../design/components.js';
import { paths } from '../paths.js';
import { Code, Languages } from './docs-frame.js';
import type { Answer, Example, Field, Operation, Parameter } from './read-operations.js';
import { exampleValues, isShown, type Language, languages, samplesOf, textsOf } from './samples.js';

/** An operation with its parameters, body and answers, with samples in the language of the reader, and a form to try it. */
export function Call({
  operation,
  api,
  language,
}: Readonly<{ operation: Operation; api: string; language: Language }>) {
  const { id, method, path, summary, description, needsToken, parameters, body, answers } = operation;
  const samples = samplesOf(operation, api);
  const parts = languages.map((each) => ({
    ...each,
    children: (
      <CopyText id={`${id}-${each.id}`} label={`${summary}, ${each.title}`} text={samples[each.id]} isLong />
    ),
  }));
  const successes = answers.filter(isSuccess);
  return (
    <article class="operation" aria-labelledby={id}>
      <h2 id={id}>
        <a href={`#${id}`}>{summary}</a>
      </h2>
      <div class="operation-columns">
        <div>
          <p class="operation-path">
            <Method method={method} />{' '}
            <code>
              <Url url={path} />
            </code>
          </p>
          <Markdown text={description} />
          {!needsToken && <p>Needs no token.</p>}
          <Fields title="Parameters" fields={parameters} />
          {body !== null && (
            <>
              <Fields title="Body" fields={body.fields} />
              {body.mediaTypes.length > 1 && <p>Sent as {listed(body.mediaTypes)}.</p>}
            </>
          )}
          <Try operation={operation} />
          {successes.map(({ status, description: meaning, fields }) => (
            <div key={status}>
              <h3>Answer {status}</h3>
              <Markdown text={meaning} />
              <Fields fields={fields} />
            </div>
          ))}
          <Errors answers={answers.filter((answer) => !isSuccess(answer) && !answer.isCommon)} />
        </div>
        <div class="operation-code">
          <Languages id={`${id}-samples`} label={summary} parts={parts} chosen={language} />
          <Examples title="Body" examples={body?.examples.slice(1) ?? []} />
          {successes.map(({ status, examples }) => (
            <Examples key={status} title={`Answer ${status}`} examples={examples} />
          ))}
        </div>
      </div>
    </article>
  );
}

export function Method({ method }: Pick<Operation, 'method'>) {
  const tone = method === 'GET' ? 'success' : method === 'DELETE' ? 'error' : 'pending';
  return <Badge tone={tone}>{method}</Badge>;
}

function isSuccess({ status }: Answer): boolean {
  return status.startsWith('2');
}

/** The document's own Markdown, which holds no HTML of others. */
export function Markdown({ text }: { readonly text: string }) {
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: marked.parse(text, { async: false }) }} />;
}

function listed(values: readonly string[]): ComponentChildren {
  return values.flatMap((value, index) => [index === 0 ? '' : ', ', <code key={value}>{value}</code>]);
}

interface FieldsProps {
  /** Left out for what is answered: what a reader has to fill in also has examples. */
  readonly title?: string;
  readonly fields: readonly (Field & Partial<Pick<Parameter, 'in'>>)[];
}

function Fields({ title, fields }: FieldsProps) {
  if (fields.length === 0) return null;
  const isFilledIn = title !== undefined;
  return (
    <>
      {isFilledIn && <h3>{title}</h3>}
      <dl class="fields">
        {fields.map(({ name, type, isRequired, description, values, example, in: place }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>{' '}
              <small>
                {type}
                {place !== undefined && `, in the ${place}`}
                {isRequired && place !== 'path' && ', required'}
              </small>
            </dt>
            <dd>
              {description !== '' && <Markdown text={description} />}
              {isFilledIn && example !== undefined && values.length === 0 && (
                <>Example: {listed(textsOf({ example }))}</>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Examples({ title, examples }: { readonly title: string; readonly examples: readonly Example[] }) {
  return (
    <>
      {examples.map(({ summary, value }) => (
        <Code key={summary} label={summary === '' ? title : `${title}: ${summary}`}>
          {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
        </Code>
      ))}
    </>
  );
}

/** The errors that only this call explains. What their codes mean stands in one table. */
function Errors({ answers }: { readonly answers: readonly Answer[] }) {
  return (
    <>
      <h3>Errors</h3>
      <ul class="plain error-answers">
        {answers.map(({ status, description, codes }) => (
          <li key={status}>
            <b>{status}</b>
            <div>
              <Markdown text={description} />
              <p>
                {codes.map((code, index) => (
                  <span key={code}>
                    {index === 0 ? '' : ', '}
                    <a href={`${paths.docs}#error-${code}`}>{code}</a>
                  </span>
                ))}
              </p>
            </div>
          </li>
        ))}
      </ul>
      <p>
        {answers.length === 0 ? 'Only the ' : 'Also the '}
        <a href={`${paths.docs}#errors`}>errors of every call</a>.
      </p>
    </>
  );
}

/** A form for a request of the operation, with the access key of the page. Only the script shows it and sends it. */
function Try({ operation }: { readonly operation: Operation }) {
  const { id, method, path, needsToken, summary, parameters } = operation;
  const { body } = exampleValues(operation);
  return (
    <>
      <noscript>
        <p>With JavaScript, you could try this call here. The samples work without it.</p>
      </noscript>
      <details class="try" hidden>
        <summary>
          Try it<span class="visually-hidden">: {summary}</span>
        </summary>
        {needsToken && (
          <div class="field">
            <label for={`${id}-access`}>Access key or token</label>
            <input
              class="try-access"
              id={`${id}-access`}
              type="password"
              aria-describedby={`${id}-access-help`}
              autocomplete="off"
              spellcheck={false}
            />
            <p id={`${id}-access-help`} class="field-help">
              For all calls that you try on this page, which are real. It is forgotten when you leave the
              page.
            </p>
          </div>
        )}
        <form data-try={method} data-path={path} data-needs-token={needsToken ? '' : undefined}>
          {parameters.map((parameter) => (
            <Control key={parameter.name} {...{ operation, parameter }} />
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
            <Button>Send</Button>
          </div>
          <output />
        </form>
      </details>
    </>
  );
}

function Control({ operation, parameter }: Readonly<{ operation: Operation; parameter: Parameter }>) {
  const { name, in: place, isRequired, values } = parameter;
  const id = `${operation.id}-${name}`;
  const texts = textsOf(parameter);
  const value = isShown(operation, parameter) ? texts.join(',') : '';
  const attributes = { id, name, 'data-in': place, required: isRequired };
  const notes = [isRequired ? [] : 'optional', name.endsWith('[]') ? 'separated by commas' : []].flat();
  return (
    <>
      <label for={id}>
        {name}
        {notes.length > 0 && ` (${notes.join(', ')})`}
      </label>
      {values.length === 0 ? (
        <input
          {...{ ...attributes, value }}
          placeholder={texts.join(', ')}
          autocomplete="off"
          spellcheck={false}
        />
      ) : (
        <select {...attributes}>
          {['', ...values].map((each) => (
            <option key={each} selected={each === value}>
              {each}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

import { availableEvents } from '@rollcall/core/rules';
import { type MarkedToken, marked, type Token, type Tokens } from 'marked';
import { type ComponentChildren, Fragment, type VNode } from 'preact';
import { CopyText, DataTable, Steps } from '../design/components.js';
import { readSource } from '../design/stylesheet.js';
import { Mappings } from '../directory/mappings.js';
import { presetNames, presets } from '../sign-on/presets.js';
import type { Visit } from '../visit.js';
import { type ApiFacts, madeOnce } from './api-facts.js';
import { Code, Languages } from './docs-frame.js';
import { receivers } from './receivers.js';

/** What a command answers, recorded from the demo. A test runs the command and compares. */
export interface GuideAnswer {
  /** The file that the command saves it to. */
  readonly file?: string;
  /** Lines of text, or JSON. Entries that were left out are one `…`. */
  readonly lines?: readonly string[];
  readonly json?: unknown;
}

const source = readSource('docs/guide.md');
export const guideAnswers = JSON.parse(readSource('docs/guide-answers.json')) as Readonly<
  Record<string, GuideAnswer>
>;

export type GuidePage = (typeof guidePages)[number];

/** The pages of the guide, in their order: what follows a heading of the first level in `guide.md`. */
export const guidePages = partsOf(source, '#').map(({ id: name, title, text }) => {
  // What stands before the first section.
  const [before = ''] = text.split(/^## /m, 1);
  return { name, title, text: before, hasCommands: text.includes('```sh'), sections: partsOf(text, '##') };
});

/** The parts of the text that begin with a heading of this level. Other sites link to the id of each. */
function partsOf(text: string, level: '#' | '##') {
  const starts = new RegExp(`^${level} (?=.+\\{#)`, 'm');
  return text.split(starts).flatMap((part) => {
    const [, title, id, rest = ''] = /^([^\n]+) \{#([\w-]+)\}\n(.*)$/s.exec(part) ?? [];
    return title === undefined || id === undefined ? [] : [{ id, title, text: rest }];
  });
}

/** A command of the guide. Those of a page run in one shell, in their order. */
export function guideCommand(id: string): string {
  const [, command] = new RegExp(`^\`\`\`sh ${id} .+?\n(.+?)\n\`\`\`$`, 'ms').exec(source) ?? [];
  if (command === undefined) throw new Error(`the guide has no command ${id}`);
  return command;
}

/** What the placeholders of the text stand for: facts of one service. Those of tables are rows. */
function textsOf({ columns, presets, reportTypes }: ApiFacts, serviceName: string) {
  const code = (text: string) => `\`${text}\``;
  const rows = (cells: readonly (readonly string[])[]) =>
    cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
  return {
    brand: serviceName.replaceAll(' ', '-'),
    events: JSON.stringify(availableEvents),
    report_types: reportTypes.map(code).join(' or '),
    columns: rows(columns.map(({ key, responseKey, type }) => [code(key), code(responseKey), type])),
    presets: rows(presets.map(({ values, meaning }) => [values.map(code).join(' or '), meaning])),
  };
}

/** Other placeholders stay. */
function filled(text: string, texts: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name: string) => texts[name] ?? placeholder);
}

const readOnce = madeOnce<readonly Token[]>();

/** The text with the facts about the API in it. */
function tokensOf(text: string, visit: Visit): readonly Token[] {
  const facts = visit.facts();
  return readOnce(facts, text, () => marked.lexer(filled(text, textsOf(facts, visit.serviceName))));
}

interface TextProps {
  readonly visit: Visit;
  readonly text: string;
  /** What the commands begin with. */
  readonly values: Readonly<Record<string, string>>;
  /** The language of the receivers that the reader has chosen last. */
  readonly language: string | null;
  readonly query: Readonly<Record<string, string>>;
}

export function GuideText({ visit, text, values, language, query }: TextProps) {
  const blocks = tokensOf(text, visit).filter(({ type }) => type !== 'space') as MarkedToken[];
  return (
    <>
      {blocks.map((block, index) => {
        if (block.raw.startsWith('{{receivers}}'))
          return <Receivers key={index} {...{ visit, language, query }} />;
        if (block.raw.startsWith('{{providers}}')) return <Providers key={index} />;
        if (block.raw.startsWith('{{mappings}}')) return <Mappings key={index} />;
        return <Block key={index} block={block} before={blocks[index - 1]} values={values} />;
      })}
    </>
  );
}

/** How a line before a table begins that has its caption. */
const CAPTION = 'Table: ';

interface BlockProps extends Pick<TextProps, 'values'> {
  readonly block: MarkedToken;
  readonly before: MarkedToken | undefined;
}

function Block({ block, before, values }: BlockProps): VNode | null {
  if (block.type === 'paragraph')
    return block.text.startsWith(CAPTION) ? null : <p>{inline(block.tokens)}</p>;
  if (block.type === 'code') {
    // After the language stand its id and its label.
    const [, id = '', label = ''] = block.lang?.split(/ (\S+) (.*)/) ?? [];
    return <Command {...{ id, label, values }} text={block.text} />;
  }
  if (block.type === 'table')
    return <Table {...block} caption={before?.raw.trim().slice(CAPTION.length) ?? ''} />;
  if (block.type !== 'list') throw new Error(`the guide has a ${block.type}`);
  const items = (block as Tokens.List).items.map(({ tokens }, index) => (
    <li key={index}>{inline(tokens)}</li>
  ));
  return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

function inline(tokens: readonly Token[]): ComponentChildren {
  return (tokens as readonly MarkedToken[]).map((token, index) => {
    if (token.type === 'codespan') return <code key={index}>{token.text}</code>;
    if (token.type === 'strong') return <strong key={index}>{inline(token.tokens)}</strong>;
    if (token.type === 'link')
      return (
        <a key={index} href={token.href}>
          {inline(token.tokens)}
        </a>
      );
    if (token.type !== 'text') throw new Error(`the guide has a ${token.type}`);
    const text = token.tokens === undefined ? token.text.replaceAll('\n', ' ') : inline(token.tokens);
    return <Fragment key={index}>{text}</Fragment>;
  });
}

/** A command to copy, with what it answers. */
function Command({
  id,
  label,
  text,
  values,
}: Readonly<Record<'id' | 'label' | 'text', string>> & Pick<TextProps, 'values'>) {
  const answer = guideAnswers[id];
  return (
    <>
      <CopyText id={`shell-${id}`} label={label} text={filled(text, values)} isLong />
      {answer !== undefined && (
        <Code label={answer.file === undefined ? 'Response' : `How ${answer.file} begins`}>
          {filled(answerText(answer), values)}
        </Code>
      )}
    </>
  );
}

function answerText({ lines, json }: GuideAnswer): string {
  return lines?.join('\n') ?? JSON.stringify(json, null, 2).replaceAll('"…"', '…');
}

/** The commands with which each page begins, but the first, which explains them. */
export function FirstCommands({ values }: Pick<TextProps, 'values'>) {
  return (
    <details>
      <summary>In a new shell, run these first</summary>
      <Command id="given" label="Your values" text={guideCommand('given')} values={values} />
      <Command
        id="authenticate"
        label="A token for one day"
        text={guideCommand('authenticate')}
        values={values}
      />
    </details>
  );
}

function Table({
  caption,
  header,
  rows,
}: Pick<Tokens.Table, 'header' | 'rows'> & { readonly caption: string }) {
  return (
    <DataTable
      caption={caption}
      columns={header.map(({ text }, place) => ({
        title: text,
        cell: (row: readonly Tokens.TableCell[]) => <div>{inline(row[place]?.tokens ?? [])}</div>,
      }))}
      rows={rows}
    />
  );
}

/** What to click at each identity provider, as the settings of sign-on show it. */
function Providers() {
  return (
    <>
      {presetNames.map((name) => {
        const { title, issuer, idClaim, steps } = presets[name];
        return (
          <Fragment key={name}>
            <h3 id={`provider-${name}`}>{title}</h3>
            <Steps of={steps} />
            <p>
              Issuer: <code>{issuer}</code>. Claim for the identity provider ID: <code>{idClaim}</code>.
            </p>
          </Fragment>
        );
      })}
    </>
  );
}

function Receivers({ visit, language, query }: Pick<TextProps, 'visit' | 'language' | 'query'>) {
  const parts = receivers(visit.serviceName).map(({ id, language: title, file, command, code }) => ({
    id,
    title,
    children: (
      <CopyText id={`receiver-code-${title}`} label={`${file}, run with: ${command}`} text={code} isLong />
    ),
  }));
  return <Languages id="receivers" label="Receivers" parts={parts} chosen={language} query={query} />;
}

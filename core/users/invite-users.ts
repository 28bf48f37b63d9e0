import type { Acting } from '../access/actor.js';
import type { Organization } from '../access/ports.js';
import type { Deps } from '../deps.js';
import { Refusal } from '../errors.js';
import { normalizeEmail } from '../values/email.js';
import { type InvitedUser, inviteUser } from './invite-user.js';
import type { Person } from './person.js';

/** The most that one call invites. */
export const maxInvitationLines = 500;

export interface InviteUsers extends Acting {
  readonly organization: Pick<Organization, 'id'>;
  /**
   * A person a line: e-mail address, first name, last name, with commas, semicolons or tabs between, as people
   * paste from spreadsheets. Quotes are allowed; empty lines and a line of headings at the top are passed over.
   */
  readonly text: string;
}

/** What became of one line. */
export interface InvitedLine {
  /** Counted from 1 in the text as it came. */
  readonly line: number;
  /** The address as it was read. */
  readonly email: string;
  /** Null: the person was not invited. */
  readonly invited: InvitedUser | null;
  /** Why not; empty for whoever was invited. */
  readonly problems: readonly string[];
}

/**
 * Invites everybody in the text as `inviteUser` does, and says line by line what became of it. The lines are in
 * order, and a bad one stops no other. Inviting the same text again gives the same URLs.
 */
export async function inviteUsers(
  deps: Pick<Deps, 'invitations' | 'secrets' | 'ids' | 'clock' | 'settings'>,
  { text, ...request }: InviteUsers,
): Promise<readonly InvitedLine[]> {
  const people = readPeople(text);
  if (people.length === 0) throw new Refusal('invalid-request', 'people must have at least one line');
  if (people.length > maxInvitationLines)
    throw new Refusal('invalid-request', `people must have at most ${maxInvitationLines} lines`);

  const lines: InvitedLine[] = [];
  const seen = new Map<string, number>();
  for (const { line, fields } of people) {
    const email = fields[0] ?? '';
    const before = seen.get(normalizeEmail(email));
    if (before === undefined) seen.set(normalizeEmail(email), line);
    const problem = lineProblem(fields, before);
    lines.push(
      problem === null
        ? await invite(deps, { line, ...request, ...personOf(fields) })
        : { line, email, invited: null, problems: [problem] },
    );
  }
  return lines;
}

function lineProblem(fields: readonly string[], before: number | undefined): string | null {
  if (fields.length !== 3)
    return `a line must have three fields, e-mail address, first name and last name; this has ${fields.length}`;
  return before === undefined ? null : `email is in line ${before} already`;
}

function personOf([email = '', firstName = '', lastName = '']: readonly string[]): Person {
  return { email, firstName, lastName };
}

async function invite(
  deps: Parameters<typeof inviteUser>[0],
  { line, ...request }: Parameters<typeof inviteUser>[1] & Pick<InvitedLine, 'line'>,
): Promise<InvitedLine> {
  const { email } = request;
  try {
    return { line, email, invited: await inviteUser(deps, request), problems: [] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { line, email, invited: null, problems: error.messages };
  }
}

interface Line {
  readonly line: number;
  readonly fields: readonly string[];
}

const HEADINGS = ['email', 'e-mail', 'email address', 'e-mail address'];

function readPeople(text: string): readonly Line[] {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .map((line, index) => ({ line: index + 1, fields: fieldsOf(line) }))
    .filter(({ fields }) => fields.some((field) => field !== ''));
  const isHeading = HEADINGS.includes(lines[0]?.fields[0]?.toLowerCase().replaceAll('_', ' ') ?? '');
  return isHeading ? lines.slice(1) : lines;
}

/** Tabs separate where there are any, else semicolons, else commas; quotes hold a separator that separates nothing. */
function fieldsOf(line: string): readonly string[] {
  const plain = line.replace(/"[^"]*"/g, '');
  const separator = ['\t', ';'].find((candidate) => plain.includes(candidate)) ?? ',';
  const fields = [''];
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    if (character === separator && !isQuoted) fields.push('');
    else fields[fields.length - 1] += character;
  }
  return fields.map(unquoted);
}

function unquoted(field: string): string {
  const [, inner] = /^"(.*)"$/s.exec(field.trim()) ?? [];
  return inner === undefined ? field.trim() : inner.replaceAll('""', '"').trim();
}

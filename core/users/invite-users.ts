import type { Acting } from '../access/actor.js';
import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { normalizeEmail } from '../values/email.js';
import type { Problem } from '../values/problem.js';
import { refuseAny } from '../values/problems.js';
import { type InvitedUser, inviteUser } from './invite-user.js';
import type { Person } from './ports.js';

/** The maximum number of lines in one call. */
export const maxInvitationLines = 500;

/** The request of `inviteUsers`. */
export interface InviteUsers extends OfOrganization, Acting {
  /**
   * One person in each line: e-mail address, first name, last name and, if there is one, the `idpId`, separated by
   * commas, semicolons or tabs, as pasted from a spreadsheet. Quotes are allowed; empty lines and a heading line at the
   * top are skipped.
   */
  readonly text: string;
}

/** The result of one line. */
export interface InvitedLine {
  /** The number of the line in the given text, from 1. */
  readonly line: number;
  /** The address as it was read. */
  readonly email: string;
  /** Null: the person was not invited. */
  readonly invited: InvitedUser | null;
  /** Why the person was not invited; empty otherwise. */
  readonly problems: readonly Problem[];
}

/**
 * Invites every person in the text as `inviteUser` does, and returns a result for each line, in order. Invalid lines
 * are skipped. Inviting the same text again gives the same URLs.
 *
 * @throws `Refusal`: `invalid-request` if the text has no line or more than `maxInvitationLines`. Problems of a line
 * are in its result.
 */
export async function inviteUsers(
  deps: Uses<
    | 'clock.now'
    | 'ids.uuid'
    | 'invitations.findOrCreatePending'
    | 'links.invitation'
    | 'secrets.invitationToken'
    | 'secrets.keyId'
  >,
  { text, ...request }: InviteUsers,
): Promise<readonly InvitedLine[]> {
  const people = readPeople(text);
  refuseAny([countProblem(people.length)]);

  const lines: InvitedLine[] = [];
  const seen = { email: new Map<string, number>(), idpId: new Map<string, number>() };
  for (const { line, fields } of people) {
    const { idpId, ...person } = personOf(fields);
    const { email } = person;
    const problem =
      countOfFieldsProblem(fields) ??
      duplicateProblem('email', { line, value: normalizeEmail(email), seen: seen.email }) ??
      (idpId === '' ? null : duplicateProblem('idpId', { line, value: idpId, seen: seen.idpId }));
    lines.push(
      problem === null
        ? await invite(deps, { line, ...request, ...person, idpId: idpId || null })
        : { line, email, invited: null, problems: [problem] },
    );
  }
  return lines;
}

function countProblem(lines: number): Problem | null {
  const field = 'people';
  if (lines === 0) return { field, code: 'too-few', message: 'must have at least one line' };
  if (lines <= maxInvitationLines) return null;
  return { field, code: 'too-many', message: `must have at most ${maxInvitationLines} lines` };
}

function countOfFieldsProblem(fields: readonly string[]): Problem | null {
  if (fields.length === 3 || fields.length === 4) return null;
  const count = `${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`;
  const message = `Needs an email address, a first name and a last name, and may have an ID. This line has ${count}`;
  return { field: null, code: 'malformed', message };
}

/** The problem of a value that an earlier line has. Remembers the line of a new value. */
function duplicateProblem(
  field: 'email' | 'idpId',
  {
    line,
    value,
    seen,
  }: { readonly line: number; readonly value: string; readonly seen: Map<string, number> },
): Problem | null {
  const firstLine = seen.get(value);
  if (firstLine !== undefined)
    return { field, code: 'duplicate', message: `is in line ${firstLine} already` };
  seen.set(value, line);
  return null;
}

function personOf([email = '', firstName = '', lastName = '', idpId = '']: readonly string[]): Person & {
  readonly idpId: string;
} {
  return { email, firstName, lastName, idpId };
}

async function invite(
  deps: Uses<
    | 'clock.now'
    | 'ids.uuid'
    | 'invitations.findOrCreatePending'
    | 'links.invitation'
    | 'secrets.invitationToken'
    | 'secrets.keyId'
  >,
  { line, ...request }: Parameters<typeof inviteUser>[1] & Pick<InvitedLine, 'line'>,
): Promise<InvitedLine> {
  const { email } = request;
  try {
    return { line, email, invited: await inviteUser(deps, request), problems: [] };
  } catch (error) {
    if (!(error instanceof Refusal) || error.problems.length === 0) throw error;
    return { line, email, invited: null, problems: error.problems };
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

/** The separator is the tab if there is one, else the semicolon, else the comma; inside quotes it is part of the text. */
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

import type { Acting } from '../../access/acting.js';
import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { normalizeEmail } from '../../values/email.js';
import type { Problem } from '../../values/problem.js';
import { refuseAny } from '../../values/problems.js';
import { maxInvitationLines } from './invitation.js';
import type { AsksForMail, InvitedUser, InviteUser } from './invite.js';
import { type InvitedPerson, inviteUsers } from './invite-users.js';

/** The request of `inviteLines`. */
export interface InviteLines
  extends OfOrganization,
    Acting,
    AsksForMail,
    Pick<InviteUser, 'role' | 'expiresInDays'> {
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
 * @throws `Refusal`: `invalid-request` if the text has no line or more than `maxInvitationLines`;
 * `organization-not-found`. Problems of a line are in its result.
 */
export async function inviteLines(
  deps: Uses<typeof inviteUsers>,
  { text, ...request }: InviteLines,
): Promise<readonly InvitedLine[]> {
  const lines = readLines(text);
  refuseAny([countProblem(lines.length)]);
  const results = await inviteUsers(deps, { ...request, users: peopleIn(lines) });
  return results.map(({ user, problems }, index) => {
    const { line = 0, fields: [email = ''] = [] } = lines[index] ?? {};
    return { line, email, invited: user, problems };
  });
}

function countProblem(lines: number): Problem | null {
  const field = 'people';
  if (lines === 0) return { field, code: 'too-few', message: 'must have at least one line' };
  if (lines <= maxInvitationLines) return null;
  return { field, code: 'too-many', message: `must have at most ${maxInvitationLines} lines` };
}

/** The person in each line. A value that an earlier line has is a problem. */
function peopleIn(lines: readonly Line[]): readonly InvitedPerson[] {
  const seen = { email: new Map<string, number>(), idpId: new Map<string, number>() };
  return lines.map(({ line, fields }) => {
    const [email = '', firstName = '', lastName = '', idpId = ''] = fields;
    const problem =
      countOfFieldsProblem(fields) ??
      duplicateProblem('email', { line, value: normalizeEmail(email), seen: seen.email }) ??
      (idpId === '' ? null : duplicateProblem('idpId', { line, value: idpId, seen: seen.idpId }));
    return problem === null ? { email, firstName, lastName, idpId: idpId || null } : { problems: [problem] };
  });
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

interface Line {
  readonly line: number;
  readonly fields: readonly string[];
}

const HEADING = /^e-?mail(?:[ _]address)?$/i;

function readLines(text: string): readonly Line[] {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line, index) => ({ line: index + 1, fields: fieldsOf(line) }))
    .filter(({ fields }) => fields.some((field) => field !== ''));
  return HEADING.test(lines[0]?.fields[0] ?? '') ? lines.slice(1) : lines;
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

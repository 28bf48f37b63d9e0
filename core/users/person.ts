import { Refusal } from '../errors.js';
import { emailProblem, normalizeEmail } from '../values/email.js';
import type { Problem } from '../values/problem.js';
import { refuseAny } from '../values/problems.js';
import { textProblem } from '../values/text.js';
import type { PersonKey } from './ports/personal-data.js';
import type { Person } from './user.js';

/** Normalizes the address. Throws one `Refusal` with all problems of the address and the names. */
export function checkPerson(person: Person): Person {
  refuseAny(personProblems(person));
  return normalizedPerson(person);
}

export function personProblems(person: Person): readonly (Problem | null)[] {
  return [emailProblem('email', person.email), ...nameProblems(person)];
}

/** The person with the normalized address and nothing else. */
export function normalizedPerson(person: Person): Person {
  return { email: normalizeEmail(person.email), firstName: person.firstName, lastName: person.lastName };
}

export function nameProblems(name: Pick<Person, 'firstName' | 'lastName'>): readonly (Problem | null)[] {
  return [
    textProblem('firstName', name.firstName, { maxCharacters: 300 }),
    textProblem('lastName', name.lastName, { maxCharacters: 300 }),
  ];
}

/** The refusal when no user has this address. */
export function noSuchUser(email: string): Refusal {
  return new Refusal('user-not-found', [
    { field: 'email', code: 'unknown', message: `there is no user ${normalizeEmail(email)}` },
  ]);
}

/** The refusal when nothing is stored about a person. */
export function noSuchPerson(person: PersonKey): Refusal {
  if ('email' in person) return noSuchUser(person.email);
  return new Refusal('user-not-found', 'Nobody has this UUID');
}

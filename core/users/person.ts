import { emailProblem, normalizeEmail } from '../values/email.js';
import { refuseAny } from '../values/problems.js';
import { textProblem } from '../values/text.js';

export interface Person {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** Checks what is known of a person and says everything that is wrong at once. */
export function checkPerson(person: Person): Person {
  refuseAny([emailProblem('email', person.email), ...nameProblems(person)]);
  return { email: normalizeEmail(person.email), firstName: person.firstName, lastName: person.lastName };
}

export function nameProblems(name: Pick<Person, 'firstName' | 'lastName'>): readonly (string | null)[] {
  return [
    textProblem('first_name', name.firstName, { maxCharacters: 300 }),
    textProblem('last_name', name.lastName, { maxCharacters: 300 }),
  ];
}

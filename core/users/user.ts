/** The address and the name of a person. */
export interface Person {
  /**
   * In a request, any address that `emailProblem` accepts. In a result, as it is stored: without spaces around it, in
   * lower case and in NFC.
   */
  readonly email: string;
  /** One line of at most 300 characters. */
  readonly firstName: string;
  /** One line of at most 300 characters. */
  readonly lastName: string;
}

/** A person with an account. One user can be a member of several organizations. */
export interface User extends Person {
  /** A whole number from 1 to 2^53 - 1, the same in every organization. */
  readonly id: number;
  /** The user's own UUID. An organization may know the user under another one, see `Member.uuid`. */
  readonly uuid: string;
  /** URL of a picture, or null. */
  readonly avatar: string | null;
  /** When the user was added, by registration, by the operator or by an import. */
  readonly createdAt: Date;
}

/** A user to be added. The storage chooses the `id`. */
export interface NewUser extends Person {
  /** A random UUID in lower case. */
  readonly uuid: string;
  /** What `Passwords.hash` returned; null: the user has no password and cannot sign in with one. */
  readonly passwordHash: string | null;
  /** When the user is added, by the core's clock. */
  readonly createdAt: Date;
}

/** A command failed for a reason that people can understand. They see only its message. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

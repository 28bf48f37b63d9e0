/** Why nothing was copied; the message is for people. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}

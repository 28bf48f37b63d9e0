/** Nothing was copied. The message tells people why. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}

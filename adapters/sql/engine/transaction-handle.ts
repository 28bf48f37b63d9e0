/**
 * Returns a function that gives the connection to the statements of one transaction, and one that ends this: otherwise a
 * late statement would run in the next transaction.
 */
export function transactionHandle<Connection>(connection: Connection): {
  readonly use: () => Connection;
  readonly end: () => void;
} {
  let hasEnded = false;
  return {
    use() {
      if (hasEnded) throw new Error('the transaction of this handle has ended');
      return connection;
    },
    end() {
      hasEnded = true;
    },
  };
}

import { openAsBlob } from 'node:fs';
import { createOperatorClient } from '@rollcall/contracts/operator';
import { serveParent } from './forked-instance.js';

/**
 * A test program: sends files of records to the operator's API whose URL and token are its arguments. The process that
 * measures other requests meanwhile would wait for its own sending.
 */
const [baseUrl = '', token = ''] = process.argv.slice(2);
const operator = createOperatorClient({ baseUrl, token });

/** Resolves with the number of records. */
serveParent(async (file: string): Promise<number> => {
  const { records } = await operator.importRecords((await openAsBlob(file)).stream());
  return records;
});

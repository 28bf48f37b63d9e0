import { after, afterEach, beforeEach } from 'node:test';
import { temporaryDirectory } from './app-cli.js';

/** An empty folder for the tests of this suite or file, which is removed after them. */
export function folderForAll(): string {
  const directory = temporaryDirectory();
  after(() => directory.remove());
  return directory.path;
}

/** An empty folder for each test of the suites that call `forEachTest`. */
export function folderOfTest(): { readonly path: string; forEachTest(): void } {
  let directory = { path: '', remove() {} };
  return {
    get path() {
      return directory.path;
    },
    forEachTest() {
      beforeEach(() => {
        directory = temporaryDirectory();
      });
      afterEach(() => directory.remove());
    },
  };
}

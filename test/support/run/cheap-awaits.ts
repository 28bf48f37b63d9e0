/**
 * Preloaded into the processes of test files: `node:test` finds the test that is running with hooks for every promise, which
 * makes each `await` fifty times as long (`findings/node-test-makes-each-await-fifty-times-as-long.sh`), and tests wait
 * hundreds of thousands of times. Here it learns of its own tests only. An error that a timer or a socket throws is then
 * reported for the file instead of the test, and `test` nested in a test must be `t.test`.
 */
import asyncHooks, { AsyncResource, type HookCallbacks } from 'node:async_hooks';

const { createHook } = asyncHooks;
let init: HookCallbacks['init'];

class Watched extends AsyncResource {
  constructor(type: string, options?: object) {
    super(type, options);
    init?.(this.asyncId(), type, this.triggerAsyncId(), this);
  }
}

Object.assign(asyncHooks, { AsyncResource: Watched, createHook: hookOfTests });
await import('node:test');
Object.assign(asyncHooks, { AsyncResource });

/** `node:test` creates its hook with the first test. */
function hookOfTests(callbacks: HookCallbacks): asyncHooks.AsyncHook {
  Object.assign(asyncHooks, { createHook });
  ({ init } = callbacks);
  const hook = { enable: () => hook, disable: () => hook };
  return hook;
}

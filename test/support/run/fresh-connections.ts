/**
 * `fetch` closes connections that are idle. One that was idle for some seconds may be
 * closed by the server, or by a proxy between, at the moment of the next request. A busy machine makes that likely, and
 * `fetch` never tries again.
 */
const nodeFetch = globalThis.fetch;

globalThis.fetch = (...args) => {
  globalThis.fetch = nodeFetch;
  keepNoIdleConnections();
  return nodeFetch(...args);
};

type AgentClass = new (options: {
  readonly keepAliveTimeout: number;
  readonly keepAliveMaxTimeout: number;
}) => object;

const MAX_IDLE_MS = 100;

/** Where Node's versions keep the agent of `fetch`. It exists only once `fetch` was called, which loads it. */
const PLACES = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));

function keepNoIdleConnections(): void {
  void nodeFetch('data:,');
  const agents = globalThis as { [place: symbol]: object | undefined };
  for (const place of PLACES) {
    const Agent = agents[place]?.constructor as AgentClass | undefined;
    if (Agent?.name === 'Agent')
      agents[place] = new Agent({ keepAliveTimeout: MAX_IDLE_MS, keepAliveMaxTimeout: MAX_IDLE_MS });
  }
}

export {};

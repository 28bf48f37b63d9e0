/** The paths of version 2 of the API start with this. */
export const API_BASE = '/api/v2';

export const HEALTH_PATH = '/healthz';
export const READINESS_PATH = '/readyz';

/** A path that is also served below the API, where generated clients find it. */
export function alsoInApi(path: string): [string, string] {
  return [path, `${API_BASE}${path}`];
}

const HEALTH_CHECKS: ReadonlySet<string | null | undefined> = new Set(alsoInApi(HEALTH_PATH));
const PROBES: ReadonlySet<string | null | undefined> = new Set(
  [HEALTH_PATH, READINESS_PATH].flatMap(alsoInApi),
);

export function isHealthCheck(path: string | undefined): boolean {
  return HEALTH_CHECKS.has(path);
}

/** Whether monitoring requests this path every few seconds. */
export function isProbe(path: string | null | undefined): boolean {
  return PROBES.has(path);
}

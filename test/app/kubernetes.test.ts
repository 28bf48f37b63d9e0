import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { variableNames } from '#app/config/variables.js';
import { run } from '../support/app-cli.js';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: unknown }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext: {
    readonly allowPrivilegeEscalation: boolean;
    readonly readOnlyRootFilesystem: boolean;
  };
}
interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly terminationGracePeriodSeconds?: number;
    readonly securityContext: { readonly runAsNonRoot: boolean };
    readonly containers: readonly [Container];
  };
}
interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly template?: PodTemplate;
    readonly selector?: Readonly<Record<string, unknown>>;
  };
}

const file = fileURLToPath(new URL('../../../contracts/kubernetes.yaml', import.meta.url));
const manifests = parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
  assert.deepEqual(document.errors, []);
  return document.toJS() as Manifest;
});

function manifestOf(kind: string): Manifest {
  const found = manifests.find((one) => one.kind === kind);
  assert.ok(found, kind);
  return found;
}

function podOf(kind: string): PodTemplate {
  const { template } = manifestOf(kind).spec;
  assert.ok(template, kind);
  return template;
}

/** What a cluster would do with it has not been tried; these are its claims about the service. */
describe('contracts/kubernetes.yaml', () => {
  const serving = podOf('Deployment').spec;
  const [container] = serving.containers;

  test('sets variables that the service has, as texts', () => {
    const set = container.env ?? [];
    assert.ok(set.length >= 5);
    for (const { name, value } of set) {
      assert.ok((variableNames as readonly string[]).includes(name), name);
      assert.equal(typeof value, 'string', name);
    }
  });

  test('runs a command that exists, before the instances start', async () => {
    const [{ args = [] }] = podOf('Job').spec.containers;
    const { code } = await run([...args, '--help'], { cwd: process.cwd() });
    assert.equal(code, 0, args.join(' '));
  });

  test('asks the paths and ports that the service has, and gives it time to stop', () => {
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    assert.deepEqual(
      probes.map((probe) => probe?.httpGet),
      ['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'http' })),
    );
    const numberOf = (wanted: string) => Number(container.env?.find(({ name }) => name === wanted)?.value);
    assert.deepEqual(
      container.ports?.map(({ containerPort }) => containerPort),
      [numberOf('PORT'), numberOf('METRICS_PORT')],
    );
    assert.ok((serving.terminationGracePeriodSeconds ?? 0) > 20);
  });

  test('gives no container more rights than it needs', () => {
    for (const kind of ['Job', 'Deployment']) {
      const { spec } = podOf(kind);
      assert.equal(spec.securityContext.runAsNonRoot, true);
      const { allowPrivilegeEscalation, readOnlyRootFilesystem } = spec.containers[0].securityContext;
      assert.deepEqual([allowPrivilegeEscalation, readOnlyRootFilesystem], [false, true]);
    }
  });

  test('sends requests to the instances only, not to the migration', () => {
    const { labels } = podOf('Deployment').metadata;
    assert.deepEqual(manifestOf('Service').spec.selector, labels);
    assert.notDeepEqual(podOf('Job').metadata.labels, labels);
  });
});

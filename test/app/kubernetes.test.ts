import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { settingNames, variableOf } from '#app/config/settings.js';
import { readinessDeadlineMs } from '#app/readiness.js';
import { run } from '../support/app-cli.js';

/** Fields with their types, by the name of the type. A question mark ends the names of optional fields. */
type Types = Readonly<Record<string, Readonly<Record<string, string>>>>;

const typesFile = fileURLToPath(new URL('../../../test/support/kubernetes-1.30.json', import.meta.url));
const { types } = JSON.parse(readFileSync(typesFile, 'utf8')) as { readonly types: Types };

/** What is wrong with a value of a type of Kubernetes: fields that it does not have, or of another type, or missing. */
function problemsIn(value: unknown, type: string, path = type): readonly string[] {
  if (type.endsWith('[]'))
    return Array.isArray(value)
      ? value.flatMap((one, index) => problemsIn(one, type.slice(0, -2), `${path}.${index}`))
      : [`${path} must be a list`];
  if (type.startsWith('{'))
    return isMap(value)
      ? Object.entries(value).flatMap(([key, one]) => problemsIn(one, type.slice(1, -1), `${path}.${key}`))
      : [`${path} must be a map`];
  if (type in types) return isMap(value) ? mistakesInFields(value, type, path) : [`${path} must be a map`];
  if (type.startsWith('=')) return value === type.slice(1) ? [] : [`${path} must be ${type.slice(1)}`];
  return type.split('|').includes(typeof value) ? [] : [`${path} must be a ${type}`];
}

function mistakesInFields(
  value: Readonly<Record<string, unknown>>,
  type: string,
  path: string,
): readonly string[] {
  const fields = types[type] ?? {};
  const missing = Object.keys(fields).filter((name) => !name.endsWith('?') && !(name in value));
  return [
    ...missing.map((name) => `${path}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, one]) => {
      const known = fields[name] ?? fields[`${name}?`];
      return known === undefined
        ? [`${path}.${name} is not a field in ${typesFile}`]
        : problemsIn(one, known, `${path}.${name}`);
    }),
  ];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly timeoutSeconds?: number;
}
interface Container {
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: unknown }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string }[];
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
    readonly volumes?: readonly { readonly name: string }[];
  };
}
interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly template?: PodTemplate;
    readonly selector?: Readonly<Record<string, unknown>>;
    readonly ports?: readonly { readonly targetPort: string }[];
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

/** Runs kubectl without a cluster and without the configuration of this machine. Null where it is not installed. */
function kubectl(args: readonly string[], manifest: Manifest): unknown {
  const { error, status, stdout, stderr } = spawnSync('kubectl', [...args, '-f', '-', '-o', 'json'], {
    input: JSON.stringify(manifest),
    env: { PATH: process.env.PATH, HOME: tmpdir(), KUBECONFIG: '/dev/null' },
    encoding: 'utf8',
  });
  if (error !== undefined) return null;
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

/** The paths of what the first value has, and the second has not or has with another value. */
function lost(from: unknown, to: unknown, path = ''): readonly string[] {
  if (typeof from !== 'object' || from === null) return from === to ? [] : [path];
  if (typeof to !== 'object' || to === null) return [path];
  return Object.entries(from).flatMap(([key, value]) =>
    lost(value, (to as Readonly<Record<string, unknown>>)[key], `${path}.${key}`),
  );
}

/** What a cluster would do with it has not been tried; these are its claims about the service. */
describe('contracts/kubernetes.yaml', () => {
  const serving = podOf('Deployment').spec;
  const [container] = serving.containers;

  test('has only fields that Kubernetes knows, of the right type, and all that it requires', () => {
    assert.deepEqual(
      manifests.map(({ kind }) => kind),
      ['Job', 'Deployment', 'Service', 'PodDisruptionBudget'],
    );
    for (const manifest of manifests) assert.deepEqual(problemsIn(manifest, manifest.kind), []);
  });

  test('keeps every field when kubectl has read it, where kubectl is installed', (t) => {
    // These commands read what they are given into the types of Kubernetes, and ask no cluster.
    const read: Readonly<Record<string, readonly string[]>> = {
      Job: ['set', 'env', '--local', 'READ=1'],
      Deployment: ['set', 'env', '--local', 'READ=1'],
      Service: ['set', 'selector', '--local', 'app=rollcall'],
    };
    for (const [kind, args] of Object.entries(read)) {
      const seen = kubectl(args, manifestOf(kind));
      if (seen === null)
        return t.diagnostic('kubectl is not installed here: only the fields and their types were checked');
      assert.deepEqual(lost(manifestOf(kind), seen), [], kind);
    }
  });

  test('names only labels, ports and volumes that it has', () => {
    const { labels } = podOf('Deployment').metadata;
    for (const kind of ['Deployment', 'PodDisruptionBudget'])
      assert.deepEqual(manifestOf(kind).spec.selector, { matchLabels: labels }, kind);
    const ports = container.ports?.map(({ name }) => name) ?? [];
    for (const { targetPort } of manifestOf('Service').spec.ports ?? [])
      assert.ok(ports.includes(targetPort));
    assert.deepEqual(
      container.volumeMounts?.map(({ name }) => name),
      serving.volumes?.map(({ name }) => name),
    );
  });

  test('sets variables that the service has, as texts', () => {
    const set = container.env ?? [];
    assert.ok(set.length >= 5);
    for (const { name, value } of set) {
      assert.ok(settingNames.map(variableOf).includes(name), name);
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
    const timeoutMs = 1000 * (container.readinessProbe?.timeoutSeconds ?? 1);
    assert.ok(timeoutMs > readinessDeadlineMs, 'a slow database takes every instance out of service');
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

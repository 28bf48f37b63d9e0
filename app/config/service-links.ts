/** The names of ports that a service called `metrics` or `operator` in the same namespace has too. */
const linked = { METRICS_PORT: 'metrics', OPERATOR_PORT: 'operator' } as const;

/** Kubernetes and Docker give every container the addresses of services beside it, such as `tcp://10.0.0.1:9464`. */
export function isServiceLink(name: string, value: string): name is keyof typeof linked {
  return Object.hasOwn(linked, name) && /^(?:tcp|udp|sctp):\/\/\S+$/i.test(value);
}

export function serviceLinkNotice(name: keyof typeof linked, value: string): string {
  return (
    `${name}: ${value} is ignored, because it is the address of a service called ${linked[name]} that Kubernetes or Docker ` +
    `has set. Set enableServiceLinks: false for the pod, or ${name} to a number.`
  );
}

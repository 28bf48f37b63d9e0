/** One line of a dataset, before it is written. */
export type SampleRecord = { readonly kind: string } & Readonly<Record<string, unknown>>;

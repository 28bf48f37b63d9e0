/** One line of a dataset, before it is written out. */
export type SampleRecord = { readonly kind: string } & Readonly<Record<string, unknown>>;

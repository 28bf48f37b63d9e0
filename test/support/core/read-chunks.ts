/** The text of each chunk of a file. */
export async function readChunks({
  chunks,
}: {
  readonly chunks: AsyncIterable<Uint8Array>;
}): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const chunk of chunks) texts.push(Buffer.from(chunk).toString());
  return texts;
}

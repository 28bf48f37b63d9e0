/** Nothing: an import into SQLite takes the triggers away and makes them again, and nobody is in the way of that. */
export async function up(): Promise<void> {}

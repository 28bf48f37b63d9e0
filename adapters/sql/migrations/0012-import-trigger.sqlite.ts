/** Changes nothing: an import into SQLite drops the triggers and creates them again, which blocks no one. */
export async function up(): Promise<void> {}

import { startServer } from '../../src/server/start.ts'

/** `hydrant start`. Loads nothing that only building needs. */
export async function runStart(
  dir: string,
  flags: Record<string, string | undefined>,
  note: string | null,
): Promise<void> {
  await startServer({ dir, flags, env: process.env, note })
}

import { startServer } from '../../src/server/start.ts'

/** Runs `hydrant start`. Loads no code that only the build needs. */
export async function runStart(
  dir: string,
  flags: Record<string, string | undefined>,
  note: string | null,
): Promise<void> {
  await startServer({ dir, flags, env: process.env, note })
}

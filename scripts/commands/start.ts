import { startServer } from '../../src/server/start/start.ts'
import type { CommandInput } from './command-input.ts'

/** Runs `hydrant start`. Loads no code that only the build needs. */
export async function runStart({ dir, flags, note, terminal: { env } }: CommandInput): Promise<void> {
  await startServer({ dir, flags, env, note })
}

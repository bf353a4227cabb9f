import { type Logging, loadPrettyLogging } from '../../src/server/log/logger.ts'

/**
 * Loads the formatter of `hydrant dev`. It leaves out the lines of failures, which `formatDevError` shows with their
 * code.
 */
export async function loadDevLogging(): Promise<(level: string) => Logging> {
  return await loadPrettyLogging((line) => !isFailure(line))
}

// The line of a failure is the only one with these fields.
function isFailure(json: string): boolean {
  if (!json.includes('"digest":"') || !json.includes('"side":"')) return false
  try {
    const { digest, side, phase, err } = JSON.parse(json)
    return [digest, side, phase].every((field) => typeof field === 'string') && typeof err === 'object'
  } catch {
    return false
  }
}

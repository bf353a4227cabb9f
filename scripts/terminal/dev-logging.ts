import { type Logging, loadPrettyLogging } from '../../src/server/log/logger.ts'

/**
 * Loads the formatter of `hydrant dev`. It leaves out the lines of failures, which `formatDevError` shows with their
 * code, and those of requests that browsers make by themselves.
 */
export async function loadDevLogging(): Promise<(level: string) => Logging> {
  return await loadPrettyLogging((line) => !isFailure(line) && !isProbe(line))
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

/** The paths that browsers and their developer tools ask for by themselves, below any base. */
const PROBE = /^[^?]*\/(?:\.well-known\/appspecific\/[^?]*|favicon\.ico|apple-touch-icon[\w-]*\.png)(?:\?|$)/

/** Returns whether a line says that the site does not have such a path. */
function isProbe(json: string): boolean {
  if (!json.includes('"statusCode":404')) return false
  try {
    const { url, statusCode, level } = JSON.parse(json)
    return statusCode === 404 && level <= 30 && typeof url === 'string' && PROBE.test(url)
  } catch {
    return false
  }
}

import { type Logging, loadPrettyLogging } from '../../src/server/log/logger.ts'

/**
 * Loads the formatter of `hydrant dev`. It leaves out the lines of failures, which `formatDevError` shows with their
 * code, and those of requests that browsers make by themselves.
 */
export async function loadDevLogging(): Promise<(level: string) => Logging> {
  return await loadPrettyLogging((line) => !isLeftOut(line))
}

function isLeftOut(json: string): boolean {
  const mayBeFailure = json.includes('"digest":"') && json.includes('"side":"')
  if (!mayBeFailure && !json.includes('"statusCode":404')) return false
  try {
    const line = JSON.parse(json)
    return isFailure(line) || isProbe(line)
  } catch {
    return false
  }
}

// The line of a failure is the only one with these fields.
function isFailure({ digest, side, phase, err }: Record<string, unknown>): boolean {
  return [digest, side, phase].every((field) => typeof field === 'string') && typeof err === 'object'
}

/** The paths that browsers and their developer tools ask for by themselves, below any base. */
const PROBE = /^[^?]*\/(?:\.well-known\/appspecific\/[^?]*|favicon\.ico|apple-touch-icon[\w-]*\.png)(?:\?|$)/

/** Returns whether a line says that the site does not have such a path. */
function isProbe({ url, statusCode, level }: Record<string, unknown>): boolean {
  return statusCode === 404 && Number(level) <= 30 && typeof url === 'string' && PROBE.test(url)
}

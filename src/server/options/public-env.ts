import { publicEnv } from '../../shared/public-env.ts'
import { escapeScript } from '../../shared/wire/html.ts'

/** Returns the variables that browsers may see. */
export function pickPublic(env: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(env).filter((entry): entry is [string, string] => entry[0].startsWith('PUBLIC_'))
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Gives `publicEnv` the public variables of an environment. Returns them as JSON that is safe inside a script; null
 * without any.
 */
export function publishEnv(env: NodeJS.ProcessEnv): string | null {
  const found = pickPublic(env)
  // Only the server changes it: the site sees it as read-only.
  const target = publicEnv as Record<string, string | undefined>
  for (const name of Object.keys(target)) delete target[name]
  Object.assign(target, found)
  return Object.keys(found).length > 0 ? escapeScript(JSON.stringify(found)) : null
}

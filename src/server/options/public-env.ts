import { pickPublic, publicEnv } from '../../shared/public-env.ts'
import { escapeScript } from '../../shared/wire/html.ts'

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

import { BOOT_VARIABLE, type BootQueue } from './wire/boot.ts'

/**
 * The public variables of the site, by name. `hydrant types`, `hydrant dev` and `hydrant build` write those of the
 * `.env` files to `hydrant-env.d.ts`. A site may declare others.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the declarations in a site's hydrant-env.d.ts are merged into it
export interface PublicEnv {}

/**
 * The environment variables of the server whose names begin with `PUBLIC_`, in the browser and on the server:
 * `publicEnv.PUBLIC_API_URL`. Their values are those at the creation of the server. Without a server, as in a
 * test of a component, they are those of the process when this module was loaded.
 */
export const publicEnv: PublicEnv & Readonly<Record<`PUBLIC_${string}`, string | undefined>> =
  typeof HYDRANT_BROWSER === 'undefined' ? readProcessEnv() : readBootEnv()

/** Returns the variables that browsers may see, in the order of their names. */
export function pickPublic(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(env).filter((entry): entry is [string, string] => entry[0].startsWith('PUBLIC_'))
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function readProcessEnv(): Record<string, string> {
  // Tools such as Storybook bundle this module for browsers, without HYDRANT_BROWSER.
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return pickPublic(process?.env ?? {})
}

function readBootEnv(): Record<string, string> {
  // The script of `bootScript` has set this variable in documents. Workers do not have it.
  const queue = (globalThis as { readonly [BOOT_VARIABLE]?: BootQueue })[BOOT_VARIABLE]
  return queue?.[0].env ?? {}
}

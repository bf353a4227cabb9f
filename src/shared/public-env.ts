import { BOOT_VARIABLE, type BootQueue } from './wire/boot.ts'

/**
 * The public variables of the site, by name. `hydrant types`, `hydrant dev` and `hydrant build` write those of the
 * `.env` files to `hydrant-env.d.ts`. A site may declare others.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the declarations in a site's hydrant-env.d.ts are merged into it
export interface PublicEnv {}

/**
 * The environment variables of the server whose names begin with `PUBLIC_`, in the browser and on the server:
 * `publicEnv.PUBLIC_API_URL`. Their values are those of the moment in which the server was created.
 */
export const publicEnv: PublicEnv & Readonly<Record<`PUBLIC_${string}`, string | undefined>> =
  typeof HYDRANT_BROWSER === 'undefined' ? {} : readBootEnv()

function readBootEnv(): Record<string, string> {
  // The script of `bootScript` has set this variable in documents. Workers do not have it.
  const queue = (globalThis as { readonly [BOOT_VARIABLE]?: BootQueue })[BOOT_VARIABLE]
  return queue?.[0].env ?? {}
}

import { ASSETS_PATH } from '../../../src/shared/paths.ts'
import type { BundleTarget } from './bundle-target.ts'

/** The name of the module that exports the base path of the site. */
export const BASE_MODULE = 'hydrant-base'

/**
 * Returns the source of the base module. It exports `base`, which is empty or a path without a trailing slash, `links`, and on
 * the server also `assets`, the path of the assets' folder. The browser derives the base from the URL of the script,
 * the server from the URL under which the runtime imports the server bundle (`index.mjs?base=%2Fshop`). One build
 * therefore works under any base, and one process can serve several bases.
 */
export function createBaseModule(target: BundleTarget): string {
  return target === 'browser' ? inBrowser : onServer
}

const up = ASSETS_PATH.slice(1, -1).replace(/[^/]+/g, '..')
const inBrowser = `export const base = new URL('${up}', import.meta.url).pathname.slice(0, -1)
export const links = { report: (error) => reportError(error) }
`

// `URL` escapes the path as the browser does.
const onServer = `const given = new URL(import.meta.url).searchParams.get('base') ?? '/'
export const base = new URL(given, 'http://localhost').pathname.replace(/\\/$/, '')
export const links = {}
export const assets = base + ${JSON.stringify(ASSETS_PATH)}
`

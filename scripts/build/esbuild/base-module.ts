import { ASSETS_PATH } from '../../../src/shared/paths.ts'

/** The module of the site's bundles that knows where the site is mounted. */
export const BASE_MODULE = 'hydrant-base'

/**
 * Its text: `base`, which is empty or a path without a slash at its end, and on the server `assets`, the path of the
 * assets' folder. The browser finds it by the address of its own script, which lies in that folder, the server by the
 * address that the runtime imports the server bundle from (`index.mjs?base=%2Fshop`). So one build serves any base, and
 * one process serves several.
 */
export function createBaseModule(side: 'browser' | 'server'): string {
  return side === 'browser' ? inBrowser : onServer
}

const up = ASSETS_PATH.slice(1, -1).replace(/[^/]+/g, '..')
// Without a call that might have an effect, or no bundler could leave it out of pages that need it not.
const inBrowser = `export const base = /* @__PURE__ */ findBase()
function findBase() {
  return new URL('${up}', import.meta.url).pathname.slice(0, -1)
}
`

// Through a URL, so that it is escaped as in the browser.
const onServer = `const given = new URL(import.meta.url).searchParams.get('base') ?? '/'
export const base = new URL(given, 'http://localhost').pathname.replace(/\\/$/, '')
export const assets = base + ${JSON.stringify(ASSETS_PATH)}
`

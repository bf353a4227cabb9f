/**
 * Where the site is mounted: nothing, or `/shop`. The build gives each site's modules a text of its own for this file,
 * see scripts/build/esbuild/base-module.ts; outside of a site's bundle there is no base to know.
 */
export const base: string = ''

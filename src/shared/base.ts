/**
 * The path below which the site is mounted: `/shop`, or an empty string for none. The build replaces this file in the
 * bundles of a site, see scripts/build/esbuild/hydrant-modules.ts. Outside of such a bundle the base is not known.
 */
export const base: string = ''

/** Receives the error of a link that cannot lead to its page. The server sets `report` in its bundle of a site. */
export const links: { report?: ((error: TypeError) => void) | undefined } = {}

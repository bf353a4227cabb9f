/**
 * The first argument of `cli.js` in the process that prerenders pages. The arguments after it are the folder of the build
 * and that of the site.
 */
export const PRERENDER_ARGUMENT = '--prerender'

/** The first argument of `cli.js` in the process that prerenders. The folders of the build and the site follow. */
export const PRERENDER_ARGUMENT = '--prerender'

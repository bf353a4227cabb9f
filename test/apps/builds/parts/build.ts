/** The name of the build. A call, as esbuild would copy a text into each script. */
export const build = String('one').trim()

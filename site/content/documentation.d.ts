// Files that the build compiles, see documentation/plugin.ts.

declare module '*.toc' {
  /** JSON, compressed with gzip, in Base64. */
  const compressed: string
  export default compressed
}

declare module '*.sources' {
  const sources: readonly { file: string; text: string }[]
  export default sources
}

declare module '*.ratios' {
  /** JSON. */
  const json: string
  export default json
}

// Files that the build compiles, see documentation/plugin.ts. Each one is JSON.

declare module '*.toc' {
  const json: string
  export default json
}

declare module '*.ratios' {
  const json: string
  export default json
}

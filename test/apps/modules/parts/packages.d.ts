// The packages that a test writes below node_modules.

declare module 'dual' {
  export const found: readonly string[]
  export default function dual(): string
}
declare module 'empty-browser' {
  const empty: object
  export default empty
}
declare module 'function-cjs' {
  export default function functionCjs(): string
}
declare module 'import-only' {
  export function isSame(other: unknown): boolean
}
declare module 'late-esm' {
  export const late: string
}
declare module 'marked-cjs' {
  export const named: string
}
declare module 'not-installed' {
  const nothing: string
  export default nothing
}
declare module 'parts/plugin/utc' {
  export const utc: string
}
declare module 'parts/themes' {
  export const dark: string
}
declare module 'plain-cjs' {
  export const named: string
  export const other: string
  const plain: { other: string }
  export default plain
}
declare module 'plain-esm' {
  export const named: string
  export const second: string
  const text: string
  export default text
}
declare module 'plain-esm/sub' {
  export const sub: string
}
declare module 'sheet'
declare module 'starred-esm' {
  export const starred: string
  export const count: number
  export function add(): number
}
declare module 'styled-esm' {
  export const styled: string
}
declare module 'styled-outer' {
  export function Outer(): import('react').ReactElement
}
declare module 'versioned' {
  export const version: string
}
declare module 'waiting-esm' {
  export const waited: string
}

// What the plugins of hydrant.config.ts and the browser resolve.

declare module '*.note' {
  export default function Note(): import('react').ReactElement
}
declare module 'outside' {
  export const left: string
}
declare module 'data:*' {
  const text: string
  export default text
}

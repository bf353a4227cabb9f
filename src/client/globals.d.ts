// Globals that the build defines in the bundles for browsers.

/** Whether this is a page of `hydrant dev`. The build removes code that only such a page runs. */
declare const HYDRANT_DEV: boolean
/** Whether React checks components in strict mode. Only defined in development. */
declare const HYDRANT_STRICT: boolean
/**
 * Whether the site's files are ES modules for Node.js. Then the default export of a CommonJS module is always
 * `module.exports`. Only defined in development.
 */
declare const HYDRANT_ESM_SITE: boolean
/** The functions of a page in development. */
declare const __hydrant_dev__: import('./dev/runtime.ts').DevRuntime
declare module '#react-refresh' {
  export function injectIntoGlobalHook(scope: object): void
  export function register(type: unknown, id: string): void
  export function createSignatureFunctionForTransform(): (type: unknown, key?: string) => unknown
  export function performReactRefresh(): unknown
}

declare module '#react-refresh' {
  export function injectIntoGlobalHook(scope: object): void
  export function register(type: unknown, id: string): void
  export function createSignatureFunctionForTransform(): (type: unknown, key?: string) => unknown
  export function performReactRefresh(): unknown
}

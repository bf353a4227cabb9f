// Written by `hydrant build` and `hydrant dev`: the pages that `href` knows. Changes are lost.

export {}

declare module 'hydrant/react' {
  interface Routes {
    '/': unknown
    '/form': unknown
    '/large': unknown
    '/own': unknown
    '/rows': unknown
    '/stream': unknown
  }
}

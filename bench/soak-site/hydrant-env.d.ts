// Written by `hydrant build` and `hydrant dev`: the routes that `href` accepts. Do not edit.

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

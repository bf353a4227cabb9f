// Written by `hydrant build` and `hydrant dev`: the routes that `href` accepts. Do not edit.

export {}

declare module 'hydrant/react' {
  interface Routes {
    '/data': unknown
    '/hello': unknown
    '/spiral': unknown
    '/stream': unknown
  }
}

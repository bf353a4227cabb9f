// Written by `hydrant build` and `hydrant dev`: the routes that `href` accepts. Do not edit.

export {}

declare module 'hydrant/react' {
  interface Routes {
    '/': unknown
    '/rows': unknown
  }
}

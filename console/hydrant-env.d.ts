// Written by `hydrant build` and `hydrant dev`: the routes that `href` accepts. Do not edit.

export {}

declare module 'hydrant/react' {
  interface Routes {
    '/': unknown
    '/failures/[digest]': unknown
    '/find': unknown
    '/sign-in': unknown
  }
}

// Written by `hydrant build` and `hydrant dev`: the routes that `href` accepts. Do not edit.

export {}

declare module 'hydrant/react' {
  interface Routes {
    '/': unknown
    '/docs': unknown
    '/docs/console': unknown
    '/docs/deploy': unknown
    '/docs/errors': unknown
    '/docs/failures': unknown
    '/docs/forms': unknown
    '/docs/http': unknown
    '/docs/loading': unknown
    '/docs/navigation': unknown
    '/docs/options': unknown
    '/docs/pages': unknown
    '/docs/scripts': unknown
    '/docs/server': unknown
    '/docs/styling': unknown
    '/failures': unknown
    '/failures/[position]': unknown
    '/failures/f1/fail': unknown
    '/failures/f11/fail': unknown
    '/failures/f12/fail': unknown
    '/failures/f13/[kind]': unknown
    '/failures/f14-layout/fail': unknown
    '/failures/f14/fail': unknown
    '/failures/f15-deferred/fail': unknown
    '/failures/f15-shell/fail': unknown
    '/failures/f15-stream/fail': unknown
    '/failures/f15/fail': unknown
    '/failures/f16/fail': unknown
    '/failures/f18/fail': unknown
    '/failures/f1b/fail': unknown
    '/failures/f2-shell/fail': unknown
    '/failures/f2/fail': unknown
    '/failures/f2b/fail': unknown
    '/failures/f3-layout/fail': unknown
    '/failures/f3/fail': unknown
    '/failures/f4/fail': unknown
    '/failures/f5/fail': unknown
    '/failures/f7/fail': unknown
    '/failures/f8/fail': unknown
    '/failures/f8b/fail': unknown
    '/failures/f9/fail': unknown
    '/failures/own/fail': unknown
    '/failures/own/refused': unknown
    '/notes': unknown
    '/notes/[id]': unknown
    '/start': unknown
  }
}

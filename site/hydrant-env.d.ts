// Written by `hydrant types`, `hydrant dev` and `hydrant build`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/index.server.ts')
    }
    '/docs': {
      params: {}
      layouts: ['/', '/docs']
      server: typeof import('./pages/docs/index.server.ts')
    }
    '/docs/[...path]': {
      params: { path: string }
      layouts: ['/', '/docs']
      server: typeof import('./pages/docs/[...path].server.ts')
    }
    '/docs/scripts': {
      params: {}
      layouts: ['/', '/docs']
      server: {}
    }
    '/docs/search': {
      params: {}
      layouts: ['/', '/docs']
      server: typeof import('./pages/docs/search.server.ts')
    }
    '/failures': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/[position]': {
      params: { position: string }
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/[position].server.ts')
    }
    '/failures/f1/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/f11/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/f12/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/f12/fail.server.ts')
    }
    '/failures/f13/[kind]': {
      params: { kind: string }
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/f13/[kind].server.ts')
    }
    '/failures/f14-layout/fail': {
      params: {}
      layouts: ['/', '/failures', '/failures/f14-layout']
      server: {}
    }
    '/failures/f14/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/f15-deferred/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/f15-deferred/fail.server.ts')
    }
    '/failures/f15-shell/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/f15-stream/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/f15/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/f15/fail.server.ts')
    }
    '/failures/f16/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/f16/fail.server.ts')
    }
    '/failures/f18/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/f18/fail.server.ts')
    }
    '/failures/f1b/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/f2-shell/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/f2/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/f2/fail.server.ts')
    }
    '/failures/f2b/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/f2b/fail.server.ts')
    }
    '/failures/f3-layout/fail': {
      params: {}
      layouts: ['/', '/failures', '/failures/f3-layout']
      server: {}
    }
    '/failures/f3/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/f3/fail.server.ts')
    }
    '/failures/f4/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/f4/fail.server.ts')
    }
    '/failures/f5/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/f5/fail.server.ts')
    }
    '/failures/f7/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/f8/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/f8b/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/f9/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/own/fail': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/own/fail.server.ts')
    }
    '/failures/own/refused': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/own/refused.server.ts')
    }
    '/notes': {
      params: {}
      layouts: ['/', '/notes']
      server: typeof import('./pages/notes/index.server.ts')
    }
    '/notes/[id]': {
      params: { id: string }
      layouts: ['/', '/notes']
      server: typeof import('./pages/notes/[id].server.ts')
    }
    '/notes/report': {
      params: {}
      layouts: ['/', '/notes']
      server: typeof import('./pages/notes/report.server.ts')
    }
    '/products/[id]': {
      params: { id: string }
      layouts: ['/']
      server: typeof import('./pages/products/[id].server.ts')
    }
    '/start': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/favicon.svg': unknown
    '/robots.txt': unknown
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: {}
    }
    '/docs': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/docs/layout.server.ts')
    }
    '/failures': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/failures/f14-layout': {
      params: {}
      layouts: ['/', '/failures']
      server: {}
    }
    '/failures/f3-layout': {
      params: {}
      layouts: ['/', '/failures']
      server: typeof import('./pages/failures/f3-layout/layout.server.ts')
    }
    '/notes': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/notes/layout.server.ts')
    }
  }
}

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
    '/cache': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/cache.server.ts')
    }
    '/failures/[digest]': {
      params: { digest: string }
      layouts: ['/']
      server: typeof import('./pages/failures/[digest].server.ts')
    }
    '/find': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/find.server.ts')
    }
    '/sign-in': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/sign-in.server.ts')
    }
    '/slow': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/slow/index.server.ts')
    }
    '/slow/[id]': {
      params: { id: string }
      layouts: ['/']
      server: typeof import('./pages/slow/[id].server.ts')
    }
    '/favicon.svg': unknown
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: typeof import('./pages/layout.server.ts')
    }
  }
}

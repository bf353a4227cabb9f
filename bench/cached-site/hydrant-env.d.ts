// Written by `hydrant types`, `hydrant dev` and `hydrant build`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/missed': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/missed.server.ts')
    }
    '/parts': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/parts.server.ts')
    }
    '/stale': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/stale.server.ts')
    }
    '/stored': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/stored.server.ts')
    }
    '/uncached': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/uncached.server.ts')
    }
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: {}
    }
  }
}

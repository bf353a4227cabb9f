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
    '/about': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/about.server.ts')
    }
    '/docs/[...path]': {
      params: { path: string }
      layouts: ['/']
      server: {}
    }
    '/links': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/p/[id]': {
      params: { id: string }
      layouts: ['/']
      server: typeof import('./pages/p/[id].server.ts')
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

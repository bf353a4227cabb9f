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
    '/cards/[id]': {
      params: { id: string }
      layouts: ['/']
      server: typeof import('./pages/cards/[id].server.ts')
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

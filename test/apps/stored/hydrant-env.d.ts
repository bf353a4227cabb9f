// Written by `hydrant types`, `hydrant dev` and `hydrant build`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/hydrated': {
      params: {}
      layouts: []
      server: {}
    }
    '/notes': {
      params: {}
      layouts: []
      server: typeof import('./pages/notes.server.ts')
    }
    '/plain': {
      params: {}
      layouts: []
      server: typeof import('./pages/plain.server.ts')
    }
    '/prerendered': {
      params: {}
      layouts: []
      server: typeof import('./pages/prerendered/index.server.ts')
    }
    '/prerendered/news/[id]': {
      params: { id: string }
      layouts: []
      server: typeof import('./pages/prerendered/news/[id].server.ts')
    }
    '/prerendered/plain': {
      params: {}
      layouts: []
      server: {}
    }
    '/shop': {
      params: {}
      layouts: []
      server: typeof import('./pages/shop/index.server.ts')
    }
    '/shop/other': {
      params: {}
      layouts: []
      server: {}
    }
    '/stored': {
      params: {}
      layouts: []
      server: typeof import('./pages/stored/index.server.ts')
    }
    '/stored/other': {
      params: {}
      layouts: []
      server: typeof import('./pages/stored/other.server.ts')
    }
  }

  interface Layouts {
  }
}

// Written by `hydrant types`, `hydrant dev` and `hydrant build`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/data': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/data.server.ts')
    }
    '/hello': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/spiral': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/stream': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/stream.server.ts')
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

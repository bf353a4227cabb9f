// Written by `hydrant types`, `hydrant dev` and `hydrant build`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/action': {
      params: {}
      layouts: []
      server: typeof import('./pages/action.server.ts')
    }
    '/browser': {
      params: {}
      layouts: []
      server: {}
    }
    '/first': {
      params: {}
      layouts: []
      server: typeof import('./pages/first.server.ts')
    }
    '/gone': {
      params: {}
      layouts: []
      server: typeof import('./pages/gone.server.ts')
    }
    '/load': {
      params: {}
      layouts: []
      server: typeof import('./pages/load.server.ts')
    }
    '/once': {
      params: {}
      layouts: []
      server: {}
    }
    '/promised': {
      params: {}
      layouts: []
      server: typeof import('./pages/promised.server.ts')
    }
    '/render': {
      params: {}
      layouts: []
      server: {}
    }
    '/repeated': {
      params: {}
      layouts: []
      server: {}
    }
    '/second': {
      params: {}
      layouts: []
      server: typeof import('./pages/second.server.ts')
    }
    '/stream': {
      params: {}
      layouts: []
      server: typeof import('./pages/stream.server.ts')
    }
    '/twice': {
      params: {}
      layouts: []
      server: {}
    }
  }

  interface Layouts {
  }
}

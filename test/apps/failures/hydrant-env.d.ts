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
    '/buttons': {
      params: {}
      layouts: []
      server: {}
    }
    '/first': {
      params: {}
      layouts: []
      server: typeof import('./pages/first.server.ts')
    }
    '/frameless': {
      params: {}
      layouts: []
      server: {}
    }
    '/frameless/any': {
      params: {}
      layouts: []
      server: typeof import('./pages/frameless/any.server.ts')
    }
    '/frameless/awaited': {
      params: {}
      layouts: []
      server: typeof import('./pages/frameless/awaited.server.ts')
    }
    '/frameless/callback': {
      params: {}
      layouts: []
      server: typeof import('./pages/frameless/callback.server.ts')
    }
    '/frameless/deferred': {
      params: {}
      layouts: []
      server: typeof import('./pages/frameless/deferred.server.ts')
    }
    '/frameless/invalid': {
      params: {}
      layouts: []
      server: {}
    }
    '/frameless/mismatch': {
      params: {}
      layouts: []
      server: {}
    }
    '/frameless/rejected': {
      params: {}
      layouts: []
      server: typeof import('./pages/frameless/rejected.server.ts')
    }
    '/frameless/returned': {
      params: {}
      layouts: []
      server: typeof import('./pages/frameless/returned.server.ts')
    }
    '/frameless/slow': {
      params: {}
      layouts: []
      server: typeof import('./pages/frameless/slow.server.ts')
    }
    '/frameless/string': {
      params: {}
      layouts: []
      server: typeof import('./pages/frameless/string.server.ts')
    }
    '/frameless/timeout': {
      params: {}
      layouts: []
      server: typeof import('./pages/frameless/timeout.server.ts')
    }
    '/frameless/two': {
      params: {}
      layouts: []
      server: typeof import('./pages/frameless/two.server.ts')
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
    '/own/[call]': {
      params: { call: string }
      layouts: []
      server: typeof import('./pages/own/[call].server.ts')
    }
    '/own/component': {
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

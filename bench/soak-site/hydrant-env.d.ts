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
    '/form': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/form.server.ts')
    }
    '/large': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/own': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/rows': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/rows.server.ts')
    }
    '/stream': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/stream.server.ts')
    }
    '/robots.txt': unknown
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: typeof import('./pages/layout.server.ts')
    }
  }
}

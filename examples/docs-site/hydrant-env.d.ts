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
      server: {}
    }
    '/docs/commands': {
      params: {}
      layouts: ['/', '/docs']
      server: {}
    }
    '/docs/first-cup': {
      params: {}
      layouts: ['/', '/docs']
      server: {}
    }
    '/docs/install': {
      params: {}
      layouts: ['/', '/docs']
      server: {}
    }
    '/docs/schedules': {
      params: {}
      layouts: ['/', '/docs']
      server: {}
    }
    '/search': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/search.server.ts')
    }
    '/theme': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/theme.server.ts')
    }
    '/favicon.svg': unknown
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: typeof import('./pages/layout.server.ts')
    }
    '/docs': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/docs/layout.server.ts')
    }
  }
}

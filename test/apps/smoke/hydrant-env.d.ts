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
    '/breaking': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/failing': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/failing.server.ts')
    }
    '/form': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/form.server.ts')
    }
    '/late': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/late.server.ts')
    }
    '/members': {
      params: {}
      layouts: ['/', '/members']
      server: {}
    }
    '/stored': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/stored.server.ts')
    }
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: {}
    }
    '/members': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/members/layout.server.ts')
    }
  }
}

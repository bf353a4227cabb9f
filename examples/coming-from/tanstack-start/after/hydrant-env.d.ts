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
    '/books/[id]': {
      params: { id: string }
      layouts: ['/']
      server: typeof import('./pages/books/[id].server.ts')
    }
    '/members': {
      params: {}
      layouts: ['/', '/members']
      server: typeof import('./pages/members/index.server.ts')
    }
    '/sign-in': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/sign-in.server.ts')
    }
    '/suggest': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/suggest.server.ts')
    }
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: typeof import('./pages/layout.server.ts')
    }
    '/members': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/members/layout.server.ts')
    }
  }
}

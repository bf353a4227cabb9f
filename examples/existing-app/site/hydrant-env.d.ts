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
      layouts: ['/', '/(desk)']
      server: typeof import('./pages/(desk)/index.server.ts')
    }
    '/sign-in': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/sign-in.server.ts')
    }
    '/sign-out': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/sign-out.server.ts')
    }
    '/tickets/[id]': {
      params: { id: string }
      layouts: ['/', '/(desk)']
      server: typeof import('./pages/(desk)/tickets/[id].server.ts')
    }
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: {}
    }
    '/(desk)': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/(desk)/layout.server.ts')
    }
  }
}

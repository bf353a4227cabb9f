// Written by `hydrant types`, `hydrant dev` and `hydrant build`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/desk/hook': {
      params: {}
      layouts: ['/', '/desk']
      server: {}
    }
    '/desk/note': {
      params: {}
      layouts: ['/', '/desk']
      server: typeof import('./pages/desk/note.server.ts')
    }
    '/enter': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/enter.server.ts')
    }
    '/leave': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/leave.server.ts')
    }
    '/other': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/start': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/vault/first': {
      params: {}
      layouts: ['/', '/vault']
      server: typeof import('./pages/vault/first.server.ts')
    }
    '/vault/second': {
      params: {}
      layouts: ['/', '/vault']
      server: {}
    }
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: typeof import('./pages/layout.server.ts')
    }
    '/desk': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/desk/layout.server.ts')
    }
    '/vault': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/vault/layout.server.ts')
    }
  }
}

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
    '/about': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/breaks': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/cookie': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/cookie.server.ts')
    }
    '/fails': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/fails.server.ts')
    }
    '/guarded': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/late-layout/one': {
      params: {}
      layouts: ['/', '/late-layout']
      server: {}
    }
    '/late-layout/two': {
      params: {}
      layouts: ['/', '/late-layout']
      server: {}
    }
    '/later': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/later.server.ts')
    }
    '/loop': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/loop.server.ts')
    }
    '/missing': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/missing.server.ts')
    }
    '/moving/one': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/moving/two': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/outside': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/outside.server.ts')
    }
    '/own-error': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/own-error/index.server.ts')
    }
    '/redirects': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/redirects.server.ts')
    }
    '/slow': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/slow.server.ts')
    }
    '/styled': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/tall': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/tall.server.ts')
    }
    '/throws': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/throws-around': {
      params: {}
      layouts: ['/', '/throws-around']
      server: {}
    }
    '/users/[id]': {
      params: { id: string }
      layouts: ['/', '/users/[id]']
      server: {}
    }
    '/users/[id]/posts': {
      params: { id: string }
      layouts: ['/', '/users/[id]']
      server: {}
    }
    '/robots.txt': unknown
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: {}
    }
    '/late-layout': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/late-layout/layout.server.ts')
    }
    '/throws-around': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/users/[id]': {
      params: { id: string }
      layouts: ['/']
      server: typeof import('./pages/users/[id]/layout.server.ts')
    }
  }
}

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
    '/a': {
      params: {}
      layouts: ['/', '/(prefetch)', '/(prefetch)/a']
      server: {}
    }
    '/a/b': {
      params: {}
      layouts: ['/', '/(prefetch)', '/(prefetch)/a']
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
    '/early': {
      params: {}
      layouts: ['/', '/(prefetch)']
      server: typeof import('./pages/(prefetch)/early.server.ts')
    }
    '/fails': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/fails.server.ts')
    }
    '/fails-once': {
      params: {}
      layouts: ['/', '/(prefetch)']
      server: typeof import('./pages/(prefetch)/fails-once.server.ts')
    }
    '/goes': {
      params: {}
      layouts: ['/', '/(moving)']
      server: typeof import('./pages/(moving)/goes.server.ts')
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
    '/late-link': {
      params: {}
      layouts: ['/', '/(prefetch)']
      server: typeof import('./pages/(prefetch)/late-link.server.ts')
    }
    '/later': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/later.server.ts')
    }
    '/links': {
      params: {}
      layouts: ['/', '/(prefetch)']
      server: {}
    }
    '/loop': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/loop.server.ts')
    }
    '/many': {
      params: {}
      layouts: ['/', '/(prefetch)']
      server: {}
    }
    '/missing': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/missing.server.ts')
    }
    '/moves': {
      params: {}
      layouts: ['/', '/(moving)']
      server: typeof import('./pages/(moving)/moves.server.ts')
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
    '/n/[id]': {
      params: { id: string }
      layouts: ['/', '/(prefetch)']
      server: typeof import('./pages/(prefetch)/n/[id].server.ts')
    }
    '/one': {
      params: {}
      layouts: ['/', '/(moving)']
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
    '/sign-in': {
      params: {}
      layouts: ['/', '/(prefetch)']
      server: typeof import('./pages/(prefetch)/sign-in.server.ts')
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
    '/target': {
      params: {}
      layouts: ['/', '/(prefetch)']
      server: typeof import('./pages/(prefetch)/target.server.ts')
    }
    '/teas': {
      params: {}
      layouts: ['/', '/(moving)']
      server: {}
    }
    '/teas/[id]': {
      params: { id: string }
      layouts: ['/', '/(moving)']
      server: {}
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
    '/two': {
      params: {}
      layouts: ['/', '/(moving)']
      server: typeof import('./pages/(moving)/two.server.ts')
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
    '/visible': {
      params: {}
      layouts: ['/', '/(prefetch)']
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
    '/(moving)': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/(prefetch)': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/(prefetch)/a': {
      params: {}
      layouts: ['/', '/(prefetch)']
      server: typeof import('./pages/(prefetch)/a/layout.server.ts')
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

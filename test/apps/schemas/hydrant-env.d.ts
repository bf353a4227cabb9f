// Written by `hydrant types`, `hydrant dev` and `hydrant build`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/[...path]': {
      params: { path: string }
      layouts: ['/']
      server: typeof import('./pages/[...path].server.ts')
    }
    '/arktype': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/arktype.server.ts')
    }
    '/article': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/article.server.ts')
    }
    '/guarded/[id]': {
      params: { id: string }
      layouts: ['/', '/guarded']
      server: typeof import('./pages/guarded/[id].server.ts')
    }
    '/optional': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/optional.server.ts')
    }
    '/plain': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/plain.server.ts')
    }
    '/products': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/products/index.server.ts')
    }
    '/products/[id]': {
      params: { id: string }
      layouts: ['/']
      server: typeof import('./pages/products/[id].server.ts')
    }
    '/signup': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/signup.server.ts')
    }
    '/strange': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/strange.server.ts')
    }
    '/unsendable': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/unsendable.server.ts')
    }
    '/valibot': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/valibot.server.ts')
    }
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: typeof import('./pages/layout.server.ts')
    }
    '/guarded': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/guarded/layout.server.ts')
    }
  }
}

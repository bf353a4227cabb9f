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
    '/admin': {
      params: {}
      layouts: ['/', '/admin']
      server: typeof import('./pages/admin/index.server.ts')
    }
    '/admin/sign-out': {
      params: {}
      layouts: ['/', '/admin']
      server: typeof import('./pages/admin/sign-out.server.ts')
    }
    '/cart': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/cart.server.ts')
    }
    '/checkout': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/checkout.server.ts')
    }
    '/products/[id]': {
      params: { id: string }
      layouts: ['/']
      server: typeof import('./pages/products/[id].server.ts')
    }
    '/sign-in': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/sign-in.server.ts')
    }
    '/thanks': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/thanks.server.ts')
    }
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: typeof import('./pages/layout.server.ts')
    }
    '/admin': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/admin/layout.server.ts')
    }
  }
}

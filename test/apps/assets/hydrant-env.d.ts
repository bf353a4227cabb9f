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
      layouts: []
      server: {}
    }
    '/env': {
      params: {}
      layouts: []
      server: {}
    }
    '/env/one': {
      params: {}
      layouts: []
      server: {}
    }
    '/env/two': {
      params: {}
      layouts: []
      server: {}
    }
    '/image': {
      params: {}
      layouts: []
      server: {}
    }
    '/image/far': {
      params: {}
      layouts: []
      server: {}
    }
    '/late': {
      params: {}
      layouts: []
      server: typeof import('./pages/late.server.ts')
    }
    '/policy': {
      params: {}
      layouts: []
      server: {}
    }
    '/policy/checked': {
      params: {}
      layouts: []
      server: {}
    }
    '/policy/fails': {
      params: {}
      layouts: []
      server: typeof import('./pages/policy/fails.server.ts')
    }
    '/policy/other': {
      params: {}
      layouts: []
      server: {}
    }
    '/shop': {
      params: {}
      layouts: ['/shop']
      server: typeof import('./pages/shop/index.server.ts')
    }
    '/shop/cart': {
      params: {}
      layouts: ['/shop']
      server: typeof import('./pages/shop/cart.server.ts')
    }
    '/svg': {
      params: {}
      layouts: []
      server: {}
    }
    '/icon.svg': unknown
  }

  interface Layouts {
    '/shop': {
      params: {}
      layouts: []
      server: typeof import('./pages/shop/layout.server.ts')
    }
  }
}

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
    '/[slug]': {
      params: { slug: string }
      layouts: []
      server: {}
    }
    '/blocked': {
      params: {}
      layouts: []
      server: typeof import('./pages/blocked/index.server.ts')
    }
    '/blocked/opens': {
      params: {}
      layouts: []
      server: {}
    }
    '/boundary': {
      params: {}
      layouts: []
      server: {}
    }
    '/boundary/there': {
      params: {}
      layouts: []
      server: {}
    }
    '/frame': {
      params: {}
      layouts: []
      server: {}
    }
    '/frame/inside': {
      params: {}
      layouts: []
      server: typeof import('./pages/frame/inside.server.ts')
    }
    '/frame/other': {
      params: {}
      layouts: []
      server: {}
    }
    '/note': {
      params: {}
      layouts: []
      server: typeof import('./pages/note.server.ts')
    }
    '/other': {
      params: {}
      layouts: []
      server: {}
    }
    '/send': {
      params: {}
      layouts: []
      server: {}
    }
    '/send/acted': {
      params: {}
      layouts: []
      server: typeof import('./pages/send/acted.server.ts')
    }
    '/streamed': {
      params: {}
      layouts: []
      server: typeof import('./pages/streamed.server.ts')
    }
    '/unknown/late': {
      params: {}
      layouts: []
      server: typeof import('./pages/unknown/late.server.ts')
    }
    '/unknown/lay/inner': {
      params: {}
      layouts: ['/unknown/lay']
      server: {}
    }
    '/unknown/one': {
      params: {}
      layouts: []
      server: {}
    }
    '/unknown/pair': {
      params: {}
      layouts: []
      server: {}
    }
    '/unknown/suspense': {
      params: {}
      layouts: []
      server: {}
    }
    '/whole': {
      params: {}
      layouts: []
      server: typeof import('./pages/whole.server.ts')
    }
  }

  interface Layouts {
    '/unknown/lay': {
      params: {}
      layouts: []
      server: {}
    }
  }
}

// Written by `hydrant types`, `hydrant dev` and `hydrant build`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/breaks': {
      params: {}
      layouts: ['/', '/(browser)']
      server: {}
    }
    '/cut': {
      params: {}
      layouts: ['/', '/(browser)']
      server: typeof import('./pages/(browser)/cut.server.ts')
    }
    '/fails': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/fails.server.ts')
    }
    '/late': {
      params: {}
      layouts: ['/', '/(browser)']
      server: typeof import('./pages/(browser)/late.server.ts')
    }
    '/misleading': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/misleading.server.ts')
    }
    '/outside': {
      params: {}
      layouts: ['/', '/(browser)']
      server: {}
    }
    '/parts': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/parts.server.ts')
    }
    '/plain': {
      params: {}
      layouts: ['/', '/(browser)']
      server: {}
    }
    '/soon/parts': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/soon/parts.server.ts')
    }
    '/soon/whole': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/soon/whole.server.ts')
    }
    '/stored': {
      params: {}
      layouts: ['/', '/(browser)']
      server: typeof import('./pages/(browser)/stored.server.ts')
    }
    '/whole': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/width': {
      params: {}
      layouts: ['/', '/(browser)']
      server: {}
    }
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: typeof import('./pages/layout.server.ts')
    }
    '/(browser)': {
      params: {}
      layouts: ['/']
      server: {}
    }
  }
}

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
    '/arrow': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/compiled': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/compiled/fail': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/context': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/debug': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/debug/mistakes': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/debug/twice': {
      params: {}
      layouts: ['/', '/debug/twice']
      server: {}
    }
    '/errors': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/errors.server.ts')
    }
    '/fails/attributes': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/fails/broken': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/fails/broken.server.ts')
    }
    '/fails/click': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/fails/different': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/fails/products': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/fails/products.server.ts')
    }
    '/fails/total': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/files': {
      params: {}
      layouts: ['/', '/files']
      server: {}
    }
    '/files/blue': {
      params: {}
      layouts: ['/', '/files']
      server: {}
    }
    '/files/other': {
      params: {}
      layouts: ['/', '/files']
      server: {}
    }
    '/files/plain': {
      params: {}
      layouts: ['/', '/files']
      server: typeof import('./pages/files/plain.server.ts')
    }
    '/files/red': {
      params: {}
      layouts: ['/', '/files']
      server: {}
    }
    '/function': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/hooks': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/inner': {
      params: {}
      layouts: ['/', '/inner']
      server: {}
    }
    '/moves/one': {
      params: {}
      layouts: ['/', '/moves']
      server: {}
    }
    '/moves/slow': {
      params: {}
      layouts: ['/', '/moves']
      server: typeof import('./pages/moves/slow.server.ts')
    }
    '/moves/two': {
      params: {}
      layouts: ['/', '/moves']
      server: {}
    }
    '/schemas': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/schemas/index.server.ts')
    }
    '/schemas/books/[id]': {
      params: { id: string }
      layouts: ['/']
      server: typeof import('./pages/schemas/books/[id].server.ts')
    }
    '/schemas/caught': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/schemas/caught.server.ts')
    }
    '/schemas/join': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/schemas/join.server.ts')
    }
    '/schemas/plain': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/server': {
      params: {}
      layouts: ['/', '/server']
      server: typeof import('./pages/server/index.server.ts')
    }
    '/server/public': {
      params: {}
      layouts: ['/', '/server']
      server: {}
    }
    '/server/slow': {
      params: {}
      layouts: ['/', '/server']
      server: typeof import('./pages/server/slow.server.ts')
    }
    '/tabs': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/picture.svg': unknown
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: typeof import('./pages/layout.server.ts')
    }
    '/debug/twice': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/files': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/inner': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/moves': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/server': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/server/layout.server.ts')
    }
  }
}

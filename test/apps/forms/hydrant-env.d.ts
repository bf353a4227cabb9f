// Written by `hydrant types`, `hydrant dev` and `hydrant build`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/again': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/again.server.ts')
    }
    '/camera': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/ends': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/ends.server.ts')
    }
    '/fails': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/fails.server.ts')
    }
    '/form': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/form.server.ts')
    }
    '/guarded': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/guarded.server.ts')
    }
    '/items/[id]': {
      params: { id: string }
      layouts: ['/']
      server: typeof import('./pages/items/[id].server.ts')
    }
    '/kinds': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/kinds.server.ts')
    }
    '/left': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/left.server.ts')
    }
    '/list': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/list.server.ts')
    }
    '/moved': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/moved.server.ts')
    }
    '/not-sent': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/not-sent.server.ts')
    }
    '/order': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/order.server.ts')
    }
    '/order/elsewhere': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/order/elsewhere.server.ts')
    }
    '/order/slow': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/order/slow.server.ts')
    }
    '/order/stays': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/order/stays.server.ts')
    }
    '/other': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/other.server.ts')
    }
    '/quiet': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/quiet.server.ts')
    }
    '/renames': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/renames.server.ts')
    }
    '/retried': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/script': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/script.server.ts')
    }
    '/sent-on': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/sent-on.server.ts')
    }
    '/stored': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/stored.server.ts')
    }
    '/target': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/upload': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/upload.server.ts')
    }
    '/ways': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/words': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/words.server.ts')
    }
    '/words/other': {
      params: {}
      layouts: ['/']
      server: {}
    }
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: typeof import('./pages/layout.server.ts')
    }
  }
}

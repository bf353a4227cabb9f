// Written by `hydrant types`, `hydrant dev` and `hydrant build`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/before': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/before-bare': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/before-plain': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/before-sent': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/before-sent.server.ts')
    }
    '/controlled': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/controlled.server.ts')
    }
    '/dialogs': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/dialogs.server.ts')
    }
    '/early': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/early.server.ts')
    }
    '/early-streamed': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/early-streamed.server.ts')
    }
    '/evil': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/evil.server.ts')
    }
    '/fields': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/fields.server.ts')
    }
    '/hook': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/hooked': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/hooked.server.ts')
    }
    '/kept/login': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/kept/message': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/kept/message.server.ts')
    }
    '/kept/note': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/kept/note.server.ts')
    }
    '/late/[part]': {
      params: { part: string }
      layouts: ['/', '/late/[part]']
      server: typeof import('./pages/late/[part]/index.server.ts')
    }
    '/late/[part]/moved': {
      params: { part: string }
      layouts: ['/', '/late/[part]']
      server: typeof import('./pages/late/[part]/moved.server.ts')
    }
    '/late/[part]/there': {
      params: { part: string }
      layouts: ['/', '/late/[part]']
      server: typeof import('./pages/late/[part]/there.server.ts')
    }
    '/late/hooked': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/late/hooked.server.ts')
    }
    '/notes': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/notes.server.ts')
    }
    '/plain': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/refused': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/refused.server.ts')
    }
    '/restored/draft': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/restored/draft.server.ts')
    }
    '/restored/login': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/restored/login.server.ts')
    }
    '/restored/twice': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/search': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/views': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/views.server.ts')
    }
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: {}
    }
    '/late/[part]': {
      params: { part: string }
      layouts: ['/']
      server: typeof import('./pages/late/[part]/layout.server.ts')
    }
  }
}

// Written by `hydrant types`, `hydrant dev` and `hydrant build`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/action/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: typeof import('./pages/action/[kind].server.ts')
    }
    '/arrow/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/both/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/browser': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/browser/other': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/class/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/constant/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: typeof import('./pages/constant/[kind].server.ts')
    }
    '/deferred/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: typeof import('./pages/deferred/[kind].server.ts')
    }
    '/elsewhere/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: typeof import('./pages/elsewhere/[kind].server.ts')
    }
    '/forward/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/framed/[kind]': {
      params: { kind: string }
      layouts: ['/', '/framed']
      server: {}
    }
    '/imported/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/inner/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/lazy/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/load/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: typeof import('./pages/load/[kind].server.ts')
    }
    '/memo/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/named/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/nameless/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/shell/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/suspense/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/unnamed/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
    '/wrapped/[kind]': {
      params: { kind: string }
      layouts: ['/']
      server: {}
    }
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: {}
    }
    '/framed': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/framed/layout.server.ts')
    }
  }
}
